// Loaded into a server with --require: while the file DEEPWORK_TEST_HOLD exists, nothing that it writes
// counts as on the disk. If the file says `fail`, the disk fails for what was written meanwhile.

const fs = require('node:fs');

const { fdatasync } = fs;
const { DEEPWORK_TEST_HOLD: file } = process.env;

fs.fdatasync = (descriptor, callback) => {
  // Asked at once: the disk itself may take longer than the file is there.
  const error = saysFail()
    ? Object.assign(new Error('EIO: i/o error, fdatasync'), { code: 'EIO' })
    : null;
  const release = () => (fs.existsSync(file) ? setTimeout(release, 5) : callback(error));
  fdatasync(descriptor, release);
};

function saysFail() {
  return fs.existsSync(file) && fs.readFileSync(file, 'utf8') === 'fail';
}
