// Does a flow on the built-in site while Playwright's own recorder watches, and
// has it write what it recorded: node record.mjs order http://localhost:1234 out.jsonl
import { chromium } from '@playwright/test';

const flows = {
  async order(page, site) {
    await page.goto(site + '/form');
    await page.locator('#name').pressSequentially('Grace Hopper');
    await page.locator('#email').pressSequentially('grace@example.com');
    await page.locator('#phone').pressSequentially('+43 512 0123');
    await page.locator('#city').pressSequentially('Linz');
    await page.locator('#country').selectOption('Austria');
    await page.locator('#quantity').pressSequentially('2');
    await page.locator('#date').fill('2026-12-31');
    await page.getByLabel('Express').click();
    await page.getByLabel('I accept').click();
    await page.locator('#submit').click();
    await page.waitForURL(/form.done/);
  },
  async signin(page, site) {
    await page.goto(site + '/signin');
    await page.locator('#accept-all').click();
    await page.locator('#identifierId').pressSequentially('ada@example.com');
    await page.locator('#identifierId').press('Enter');
    await page.locator('#password').pressSequentially('analytical-engine-1843');
    await page.locator('#passwordNext').click();
    await page.waitForURL(/dashboard/);
  },
};

const [flow, site, outputFile] = process.argv.slice(2);
process.env.PWTEST_CLI_HEADLESS = '1'; // the recorder's own window as well
process.env.PWTEST_CLI_EXECUTABLE_PATH = process.env.REPRISE_CHROME;
const browser = await chromium.launch({
  executablePath: process.env.REPRISE_CHROME,
  args: ['--no-sandbox', '--disable-background-networking', '--disable-component-update', '--no-first-run'],
});
const context = await browser.newContext();
await context._showRecorder({ language: 'jsonl', mode: 'recording', launchOptions: {}, contextOptions: {}, outputFile, handleSIGINT: false });
const page = await context.newPage();
await flows[flow](page, site);
await page.waitForTimeout(1500); // the recorder holds actions back, in case they become others
await context.close();
await browser.close();
