// Loaded into a server with --require: once the file DEEPWORK_TEST_HOLD exists, nothing that it writes
// counts as on the disk until that file is gone. If the file says `fail`, the disk fails then.

const fs = require('node:fs');

const { fdatasync } = fs;
const { DEEPWORK_TEST_HOLD: file } = process.env;

fs.fdatasync = (descriptor, callback) => {
  let error = null;
  const release = () => {
    if (!fs.existsSync(file)) return callback(error);
    if (fs.readFileSync(file, 'utf8') === 'fail') {
      error = Object.assign(new Error('EIO: i/o error, fdatasync'), { code: 'EIO' });
    }
    setTimeout(release, 5);
  };
  fdatasync(descriptor, release);
};
