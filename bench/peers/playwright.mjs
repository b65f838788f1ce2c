// Plays with Playwright's own locators, which wait by themselves.
import { chromium } from "playwright-core";

export async function enter({ endpoint, site }, counter) {
  const browser = await chromium.connectOverCDP(endpoint);
  const context = await browser.newContext();
  const page = await context.newPage();

  function locate(step) {
    let at = page;
    for (const css of step.frames ?? []) at = at.frameLocator(css);
    return step.host ? at.locator(step.host).locator(step.css) : at.locator(step.css);
  }

  const acts = {
    goto: (step, script) => page.goto(site + step.text, { waitUntil: script.scripted ? "domcontentloaded" : "commit" }),
    fill: (step) => locate(step).fill(step.text),
    choose: (step) => locate(step).selectOption({ label: step.text }),
    set: (step) => locate(step).fill(step.text),
    press: (step) => locate(step).click(),
    tick: (step) => locate(step).click(),
    arrive: (step) => locate(step).waitFor(),
    see: (step) => locate(step).waitFor(),
  };

  async function play(script, done) {
    for (const step of script.steps) {
      await acts[step.do](step, script);
      done();
    }
  }
  return { counter, play };
}
