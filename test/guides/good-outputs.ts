// For each step of the bundled guides an output as a careful agent would write it, as short as
// possible. The rules must accept it.

const AI_TASK = {
  understand: `The goal: exporting a report must not block the page any more. Requirements:
the export runs in the background, its progress is shown, a failed export can be repeated.
Out of scope: the format of the report.

Affected: src/export/run.ts (does the work), src/pages/report.tsx (starts it).

Assumptions: one export per user at a time, because the table has a unique key on the user;
if that is wrong, progress of two exports would be mixed up.`,

  plan: `## Approach
A job table and a worker in the same process. Rejected: a queue service, since nothing else
here needs one and it would have to be operated.

## Steps
1. src/export/job.ts: table and functions to start, advance and end a job; job.test.ts passes.
2. src/export/run.ts: report progress to the job; the old tests stay green.
3. src/pages/report.tsx: poll and show; seen in the browser.

## Tests
"does not block": a test that answers within 50 ms while an export runs. "can be repeated":
a test that fails the first export and starts a second.

## Risks
A restart leaves jobs running for ever: seen by a job older than an hour. Way back: the switch
EXPORT_INLINE restores the old path.`,

  implement: `## Changes
- src/export/job.ts (new): the table, step 1.
- src/export/run.ts: reports progress, step 2.
- src/pages/report.tsx: polls every second, step 3.

## Checks
\`npm test\`: 214 passed, 0 failed. \`npx tsc --noEmit\`: exit code 0.

## Deviations
The table got a column for the error text, since the page has to show it.

## Open
Nothing open.`,

  verify: `## Requirements
- Runs in the background: met. The page answered in 12 ms while an export of 40,000 rows ran.
- Progress is shown: met. Seen to go from 0 to 100 in the browser.
- Can be repeated: met. With the disk full the export failed; the second attempt succeeded.

## Commands
\`npm test\`: 215 passed, 0 failed. \`npm run build\`: exit code 0. With the call to advance()
removed, job.test.ts failed as it should.

## Found and fixed
Two clicks started two exports; the button is disabled now, and a test holds it.

## Not verified
Behaviour behind the company proxy, which cannot be reached from here.`,
};

const ADAPTIVE = {
  assess: JSON.stringify({
    userExpertise: 'expert',
    complexity: 0.9,
    taskScope: 'large',
    reasons: [
      'The user wrote the synchronisation that is to be changed',
      'Two writers may meet in src/sync/merge.ts',
    ],
  }),

  'explain-background': `Three ideas are needed to follow the plan.

A conflict arises when two devices change the same note while they are apart. Here it matters
because both write to the same file; look at mergeNotes in src/sync/merge.ts.

A version vector is a small table that counts, for each device, how many changes it has made. By
comparing two tables one sees whether one side is simply newer or whether both have moved. It is
kept in src/sync/version.ts, in the type Version.

A tombstone marks something deleted, so that a device that was away does not bring it back.

Today a device sends all notes when it comes online; the server keeps the later one by its clock,
and the other one is lost.

Question: why is the clock not enough? Because two clocks may differ by more than the time between
the two changes.`,

  'plan-work': `When it is done:
- No change is lost when two devices were offline.
- A deleted note stays deleted.

Left out: merging inside one sentence; such notes are kept twice.

Steps:
1. Find out how large version vectors become: measure with the data of last year.
2. src/sync/version.ts: compare and join vectors; version.test.ts.
3. src/sync/merge.ts: use them; a test for each of the sentences above.

Not yet known: whether old clients can read the new file. Step 1 answers it first.`,

  'design-solution': `Parts: Store keeps notes, Merger decides, Transport carries. Merger is pure:
merge(local, remote): Merged | Conflict. Store writes through a temporary file.

Data: each note carries a version vector. Invariant: a vector never goes back; joining is
commutative and idempotent, so the order of arrival does not matter. Existing notes get the
vector {}.

Alternatives: a log of operations makes merging inside a sentence possible, but every client must
keep it for ever, and leaving it later means converting all data. Vectors are smaller and can be
dropped again; what they make hard is merging below the level of a note.

Failure: Transport slow: nothing changes, since sending is repeated. Stopped half-way: the
temporary file is ignored at the next start. Called twice: joining again gives the same. Both sides
at once: each joins, both end equal.

Numbers: 10,000 notes are merged within 200 ms on the oldest supported phone, measured by
bench/merge.ts; a vector takes at most 64 bytes for 4 devices.`,

  implementation: `Built version vectors in src/sync/version.ts and used them in src/sync/merge.ts.
Structure: storage is behind a Repository, so that the merge is a pure function. Cost: joining was
optimized after measuring, from 900 ms to 140 ms for 10,000 notes. npm test: 301 passed, 0 failed.
No departure from the plan.`,

  'expert-implementation': `src/sync/merge.ts: the three branches on the kind of note became a
Strategy each, which removed the duplicated conflict handling. Optimization: vectors are interned;
before 140 ms and 38 MB, after 95 ms and 11 MB for 10,000 notes. Left alone: the transport, which
takes 2 percent of the time. npm test: 303 passed, 0 failed.`,

  verification: `Promises: no change is lost, shown by merge.property.test.ts over 10,000 pairs of
histories; a deleted note stays deleted, shown by hand on two devices.
Commands: \`npm test\`: 303 passed, 0 failed; \`npm run bench\`: measured 95 ms.
Edges: empty store, one note, 100,000 notes, the same message twice, two merges at once.
Could not be verified: the oldest phone, which we do not have; its limit was tested by throttling.`,

  'hand-over': `Notes that were changed on two devices are now merged, or kept twice if both changed
the same one. Start reading at src/sync/merge.ts; src/sync/version.ts holds the vectors.

Try it with \`npm run demo:sync\`, which plays two devices.

Vectors were chosen because operation logs could never be dropped again. Limit: 4 devices per
account before a note grows by more than 64 bytes. If something goes wrong, delete the folder
sync-cache; it is rebuilt at the next start. The change log and docs/sync.md are up to date.`,
};

const AUTH = {
  'survey-application': `Fastify 5. Requests enter in src/server.ts; routes are registered in
src/routes/index.ts; errors become responses in src/errors.ts.

- GET /health: public
- GET /orders, POST /orders: any logged-in user, own orders only
- DELETE /users/:id: administrators

Users: table users (id, email), migrated by scripts/migrate.ts. Clients: a browser on the same
site, behind one proxy with TLS. Worth protecting: orders with addresses; worst case, all of them
become public. So security: high, environment: production. npm test: 120 passed, 0 failed.`,

  'design-auth': `Scheme: server-side session in a cookie (HttpOnly, Secure, SameSite=Lax); state-changing
requests also need a token in a header against CSRF.
Lifetime: expires after 12 hours without use, 7 days at most; logout deletes the session; a change
of password deletes all sessions of the user.
Passwords: Argon2id with 64 MiB and 3 passes, 10 to 256 characters; reset by a link that works once
for 30 minutes. A second factor (TOTP) for administrators, offered to everyone.
Secrets: the key that signs cookies comes from the secret store; it is rotated by accepting the old
one for 7 days.
Routes: refused by default; public are /health and /auth/login. 401 without a session, 403 without
the right.
Attackers: guessing is stopped by a rate limit per account and per address; a stolen cookie by expiry
and by the list of sessions; fixation by a new session at each login.
Libraries: @fastify/session, argon2, otplib; all released within the last year.`,

  'create-user-store': `Changed: migrations/007_users.sql (with its way back), src/users/store.ts,
src/users/password.ts. Passwords are kept as an Argon2id hash (64 MiB, 3 passes), in a form that
carries its parameters. Settings: SESSION_KEY, read from the environment; the server refuses to
start without it. Tests: 9 passed, 0 failed.`,

  'create-middleware': `The middleware in src/auth/middleware.ts performs authentication by looking
up the session of the cookie. It answers 401 if the cookie is missing, malformed, unknown or
expired, or if the user is blocked. Tests: 11 passed, 0 failed.`,

  'implement-login': `POST /auth/login in src/auth/login.ts accepts email and password, verifies
the password by Argon2id (a dummy hash for unknown users), and sets a session cookie that expires
after 12 hours. Five failures per account in 15 minutes slow it down. Tests: 14 passed, 0 failed.`,

  'implement-logout': `POST /auth/logout in src/auth/logout.ts deletes the session, so that the
cookie answers 401 at once. When the password is changed, all other sessions of the user are
deleted as well. Expired ones are removed every hour. Tests: 8 passed, 0 failed.`,

  'protect-routes': `Every route is refused by default by a hook in src/server.ts. The exceptions are
in src/auth/public-routes.ts:
- GET /health: asked by the load balancer
- POST /auth/login: nobody has a session yet
Orders of someone else answer 404, missing rights 403. A test walks all 31 registered routes.
Tests: 40 passed, 0 failed.`,

  'test-auth': `Over HTTP against the running server: the whole way once; wrong password and unknown
user (same body, 61 and 60 ms); expired session; a cookie with a tampered signature; a session fixed
before login; an order of another user (404); thirty attempts in a row (429 from the sixth on);
paths with a double slash. Found: the error page showed the e-mail address; fixed, with a test.
\`npm test\`: 158 passed, 0 failed. Not tested: the proxy.`,

  'review-security': `Reviewed src/auth and src/users line by line against the design.
1. Secrets are compared in constant time (src/auth/cookie.ts, line 31); randomness is from the system.
2. Timing: unknown user and wrong password differ by less than the noise over 1,000 calls. Enumeration
of accounts by the reset form was possible: the answer differed. Severity medium; fixed, with a test.
3. The rate limit holds behind the proxy, since the address is taken from the trusted header only.
4. Cookies have the designed attributes; HSTS is set.
5. Two logouts at once leave no session; a restart keeps them.
6. Dependencies: npm audit reports no vulnerability.
7. The log has each attempt and no secret.
Nothing is left open.`,

  'prepare-rollout': `1. Migrate: 007_users.sql; the old code ignores the new columns.
2. Create the secret SESSION_KEY in the store (operations team).
3. Release the code with the login switched off, then switch it on.
Users get a link to set a password two days before; both ways work until Friday.
Monitoring: alert if more than 5 percent of requests answer 401 for ten minutes.
Rollback: switch off the login; tried on a copy, took 40 seconds. Runbook: docs/auth-runbook.md.`,
};

export const GOOD_OUTPUTS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'ai-task-implementation': AI_TASK,
  'adaptive-development': ADAPTIVE,
  'auth-implementation': AUTH,
};
