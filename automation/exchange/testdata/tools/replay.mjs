// Plays a recording of Chrome with @puppeteer/replay: node replay.mjs flow.json
import { readFile } from 'node:fs/promises';
import puppeteer from 'puppeteer-core';
import { createRunner, parse, PuppeteerRunnerExtension } from '@puppeteer/replay';

const flow = parse(JSON.parse(await readFile(process.argv[2], 'utf8')));
const browser = await puppeteer.launch({
  executablePath: process.env.REPRISE_CHROME,
  args: ['--no-sandbox', '--disable-background-networking', '--disable-component-update', '--disable-sync', '--no-first-run'],
});
try {
  const page = await browser.newPage();
  const runner = await createRunner(flow, new PuppeteerRunnerExtension(browser, page, { timeout: 10000 }));
  if (!(await runner.run())) throw new Error('the runner was aborted');
  console.log(page.url());
} finally {
  await browser.close();
}
