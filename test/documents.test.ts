// Everything in the documents works as shown: the examples load, the commands print what is
// shown, and every link has a target.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { CLIENTS } from '../src/init/clients.ts';
import { FOLDER } from './guides/guide-project.ts';
import { command } from './support/command.ts';
import { serveHttpInProcess } from './support/in-process-serve.ts';
import { newProject, type Project, writeJob } from './support/project.ts';
import { verifies } from './verifies.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const read = (file: string) => readFileSync(path.join(ROOT, file), 'utf8');

function blockIn(document: string, language: string, mark: string): string {
  const blocks = document.matchAll(new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``, 'g'));
  const block = [...blocks].map(([, text = '']) => text).find((text) => text.includes(mark));
  if (block === undefined) throw new Error(`there is no ${language} with ${mark}`);
  return block;
}

test('the example in docs/guides.md is valid, and its commands print what is shown', async () => {
  verifies('GUIDE-1', 'GUIDE-8');
  const document = read('docs/guides.md');
  const project = newProject();
  project.write(`${FOLDER}/fix-a-bug.json`, blockIn(document, 'json', '"steps"'));
  const { stdout: linted } = await command(['lint', FOLDER], { cwd: project.root });
  expect(linted).toBe('0 jobs and 1 guide checked: 0 problems, 0 warnings\n');
  const shown = [...document.matchAll(/^\$ deepwork (call workflow_.*)\n(.*)$/gm)];
  expect(shown).toHaveLength(3);
  for (const [, line = '', answer = ''] of shown) {
    const { stdout } = await run(project, line);
    // Omitted text is marked by an ellipsis.
    const pattern = answer.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&').replaceAll('…', '.*');
    expect(stdout).toMatch(new RegExp(`^${pattern}\n$`));
  }
});

test('the first job of README.md is valid, and its steps run as shown', async () => {
  verifies('JOBS-X.9');
  const readme = read('README.md');
  // As `deepwork init` writes it.
  const config = 'quality_gate: { overrides: person }\n';
  const project = newProject({ '.deepwork/config.yml': config });
  const job = blockIn(readme, 'yaml', 'common_job_info');
  const [, name = ''] = /^name: (\w+)$/m.exec(job) ?? [];
  // A reader who has followed `First run` has a template's job already.
  expect(readdirSync(path.join(ROOT, 'templates'))).not.toContain(name);
  project.write(`.deepwork/jobs/${name}/job.yml`, job);
  const shell = [...readme.matchAll(/```sh\n([\s\S]*?)```/g)].flatMap(([, text = '']) =>
    text.split('\n'),
  );
  const lines = shell.slice(
    shell.findIndex((line) => line.startsWith('mkdir')),
    shell.findLastIndex((line) => line.startsWith('deepwork call')) + 1,
  );
  const statuses: string[] = [];
  for (const line of lines) {
    const [, text, file] = /^echo '(.*)' > (\S+)$/.exec(line) ?? [];
    if (text !== undefined && file !== undefined) project.write(file, `${text}\n`);
    const [, typed] = /^deepwork ([^#]*)/.exec(line) ?? [];
    if (typed === undefined) continue;
    const { code, stdout } = await run(
      project,
      typed.trim().replace('<code>', reviewCode(project)),
    );
    const [, says] = /# (\w+)/.exec(line) ?? [];
    expect(code, stdout).toBe(says === 'needs_work' ? 1 : 0);
    if (says !== undefined) statuses.push(`${says} ${JSON.parse(stdout).status}`);
  }
  const shown = ['needs_work', 'next_step', 'needs_work', 'workflow_complete'];
  expect(statuses).toEqual(shown.map((status) => `${status} ${status}`));
});

/** As a reader finds it in the file that the answer names. */
function reviewCode({ root }: Project): string {
  const folder = path.join(root, '.deepwork', 'tmp');
  const name =
    existsSync(folder) && readdirSync(folder).find((each) => each.startsWith('quality_'));
  if (!name) return '<code>';
  const text = readFileSync(path.join(folder, name), 'utf8');
  return /Begin your answer with the code `(\w+)`/.exec(text)?.[1] ?? '<code>';
}

test('the job in docs/workflow-language.md is valid', async () => {
  verifies('LANG-3', 'LANG-4', 'LANG-5', 'LANG-6');
  const document = read('docs/workflow-language.md');
  const project = newProject();
  const folder = '.deepwork/jobs/upgrade';
  project.write(`${folder}/job.yml`, blockIn(document, 'yaml', 'name: upgrade'));
  for (const id of ['plan', 'migrate', 'implement', 'test', 'lint']) {
    project.write(`${folder}/steps/${id}.md`, `Do ${id}.\n`);
  }
  // The workflow that it runs in the end.
  const inputs = {
    version: { description: 'Of what' },
    tone: { description: 'How', enum: ['short', 'long'] },
  };
  const write = { name: 'write', summary: 'An announcement', inputs, steps: ['news'] };
  writeJob(project, 'news', { news: {} }, {}, { workflows: [write] });
  const { stdout } = await command(['lint', folder], { cwd: project.root });
  expect(stdout).toBe('1 job and 0 guides checked: 0 problems, 0 warnings\n');
});

test('the curl commands in docs/team.md are answered, without a handshake', async () => {
  const { url } = await serveHttpInProcess(newProject().root);
  const commands = [...read('docs/team.md').matchAll(/```sh\n(curl [\s\S]*?)```/g)];
  const answers: unknown[] = [];
  for (const [, text = ''] of commands) {
    const headers = [...text.matchAll(/-H '([^:']+): ([^']+)'/g)].map(([, ...pair]) => pair);
    const [, address = ''] = /^curl (\S+)/.exec(text) ?? [];
    const [, body = ''] = /-d '([^']*)'/.exec(text) ?? [];
    const sent = await fetch(address.replace('http://127.0.0.1:8000', url), {
      method: 'POST',
      headers: Object.fromEntries(headers),
      body,
    });
    answers.push([sent.status, await sent.json()]);
  }
  const jobs = { structuredContent: expect.objectContaining({ jobs: expect.any(Array) }) };
  const guides = { workflows: expect.any(Array) };
  expect(answers).toEqual(
    [jobs, guides].map((result) => [
      200,
      { jsonrpc: '2.0', id: 1, result: expect.objectContaining(result) },
    ]),
  );
});

test('the table of clients in docs/team.md names the files that init writes', () => {
  const request = {
    words: ['deepwork'],
    hooks: false,
    exists: () => false,
    opencodePlugin: '',
  } as const;
  const rows = [...read('docs/team.md').matchAll(/^\| ([\w ]+) \| `([^`]+)` \| (.*) \|$/gm)];
  const shown = rows.map(([, title, file, entry = '']) => [
    title,
    file,
    entry.includes('workspaceFolder'),
  ]);
  const written = CLIENTS.flatMap((client) =>
    client
      .files(request)
      .map((file) => [client.title, file.path, JSON.stringify(file).includes('workspaceFolder')]),
  );
  expect(shown.sort()).toEqual(written.sort());
});

test('every link between the documents leads to a file, and to a heading of it', () => {
  const documents = [
    ...['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'schemas/README.md'],
    ...['plugins/claude-code/README.md', 'test/peers/README.md'],
    ...readdirSync(path.join(ROOT, 'docs')).map((name) => `docs/${name}`),
    ...readdirSync(path.join(ROOT, 'examples')).map((name) => `examples/${name}/README.md`),
  ].filter((file) => file.endsWith('.md') && existsSync(path.join(ROOT, file)));
  const broken: string[] = [];
  for (const document of documents) {
    for (const [, link = ''] of read(document).matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^[a-z]+:/.test(link)) continue;
      const [file = '', heading] = link.split('#');
      const target = file === '' ? document : path.join(path.dirname(document), file);
      const leads =
        existsSync(path.join(ROOT, target)) &&
        (heading === undefined || headingsOf(read(target)).includes(heading));
      if (!leads) broken.push(`${document}: ${link}`);
    }
  }
  expect(broken).toEqual([]);
});

/** As GitHub names them. */
function headingsOf(document: string): string[] {
  return [...document.matchAll(/^#+ (.*)$/gm)].map(([, text = '']) =>
    text
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

function run(project: Project, line: string) {
  const words = [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare);
  return command(words as string[], { cwd: project.root });
}
