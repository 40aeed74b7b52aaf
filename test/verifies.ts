// Tests say which requirement of the contract they hold, by calling this inside
// their body. The call only refuses what cannot be an id; a static test compares
// the citations with the contract.

const ID = /^(JOBS-REQ-\d{3}\.\d+\.\d+|JOBS-X\.\d+|GUIDE-\d+|TEAM-\d+)$/;

export function verifies(...ids: string[]): void {
  for (const id of ids) {
    if (!ID.test(id)) throw new Error(`'${id}' is not an id of the contract`);
  }
}
