// Plays with @puppeteer/replay what Chrome's recorder would write for a script.
import puppeteer from "puppeteer-core";
import { createRunner, PuppeteerRunnerExtension } from "@puppeteer/replay";

const patience = 30_000; // ms that a step may take

// The indexes of the frames within their parents, by which that format names them.
const frames = { "#same": 0, "#cross": 1, "#nest": 2, "#srcdoc": 0 };

// The format asks for a point: one within a small box, and one within a round button.
const points = { tick: [5, 5], press: [12, 10] };

class Counting extends PuppeteerRunnerExtension {
  done = () => {};
  async afterEachStep() {
    this.done();
  }
}

const types = { goto: "navigate", fill: "change", choose: "change", set: "change", press: "click", tick: "click", arrive: "waitForElement", see: "waitForElement" };

function toStep(site, step, next) {
  const type = types[step.do];
  if (type === "navigate") return { type, url: site + step.text };
  const made = { type, selectors: [step.host ? [step.host, step.css] : [step.css]] };
  if (step.frames) made.frame = step.frames.map((css) => frames[css]);
  if (type === "change") made.value = step.text;
  if (type === "click") [made.offsetX, made.offsetY] = points[step.do];
  if (next?.do === "arrive") made.assertedEvents = [{ type: "navigation" }];
  if (type === "waitForElement") made.visible = true;
  return made;
}

export async function enter({ endpoint, site, scripts }, counter) {
  const browser = await puppeteer.connect({ browserWSEndpoint: endpoint, defaultViewport: null });
  const context = await browser.createBrowserContext();
  const page = await context.newPage();
  const extension = new Counting(browser, page, { timeout: patience });
  const runners = new Map();
  for (const script of scripts) {
    const flow = { title: script.name, steps: script.steps.map((step, i) => toStep(site, step, script.steps[i + 1])) };
    runners.set(script.name, await createRunner(flow, extension));
  }

  async function play(script, done) {
    extension.done = done;
    await runners.get(script.name).run();
  }
  return { counter, play };
}
