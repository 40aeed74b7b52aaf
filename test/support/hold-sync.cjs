// Loaded into a server with --require: once the file DEEPWORK_TEST_HOLD exists, nothing that it writes
// counts as on the disk until that file is gone.

const fs = require('node:fs');

const { fdatasync } = fs;
const { DEEPWORK_TEST_HOLD: file } = process.env;

fs.fdatasync = (descriptor, callback) => {
  const release = (...result) => {
    if (fs.existsSync(file)) setTimeout(release, 5, ...result);
    else callback(...result);
  };
  fdatasync(descriptor, release);
};
