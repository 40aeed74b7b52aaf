// The help of the commands about where the journal is kept.

export const STORE_HELP = `deepwork store: where the journal is kept; files or a database

Usage: deepwork store status [--json] [--path DIR]
       deepwork store migrate [--json] [--path DIR]
       deepwork store copy --from STORE --to STORE [--json] [--path DIR]

status shows where the journal is, how much is in it, and which servers use it.

migrate brings the schema in the database up to date. Servers do that by
themselves if their role may create tables; otherwise run it once with a role
that may.

copy copies every stream, seals it for the target, and compares all hashes.
Nothing is removed. It can be interrupted at any time; run it again to continue
where it stopped. A target that has other events than the source is refused
before anything is written. Stop the servers of the project first: what they
record meanwhile is only copied the next time.

The database is the one in DEEPWORK_DATABASE_URL, or in store of
.deepwork/config.yml once you have run deepwork trust.

Options:
  --from STORE   files or postgres
  --to STORE     the other one
  --json         status: {"store", …}; migrate: {"from", "to"}; copy: {"from",
                 "to", "result", "streams", "ahead", "diverged", "different"}
  --path DIR     the project (default: the nearest one from the current
                 directory upwards)
  -h, --help     this help

Exit code 1: the database cannot be reached or used, or the two have diverged.
`;
