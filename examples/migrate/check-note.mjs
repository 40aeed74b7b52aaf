// A check finds what was handed in and the item that it is for in its environment.

import { readFileSync } from 'node:fs';

const { name } = JSON.parse(process.env.DEEPWORK_ITEM);
if (!readFileSync(process.env.DEEPWORK_OUTPUT_NOTE, 'utf8').includes(name)) {
  console.log(`The note does not name ${name}.`);
  process.exit(1);
}
