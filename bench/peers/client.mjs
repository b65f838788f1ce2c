// One client of the speed benchmark: it reads its engagement from standard input, then
// requests, one a line, and answers each with a line. child.go has the same for those in Go.
import { createRequire } from "node:module";
import { createInterface } from "node:readline";

const require = createRequire(import.meta.url);
const makers = {
  "@puppeteer/replay": async (engagement) => (await import("./replay.mjs")).enter(engagement, count(require("ws"))),
  playwright: async (engagement) => (await import("./playwright.mjs")).enter(engagement, count(require("playwright-core/lib/utilsBundle").ws)),
};

// count has a WebSocket class count what is sent with it, keys left out.
function count(WebSocket) {
  const counter = { sent: 0 };
  const send = WebSocket.prototype.send;
  WebSocket.prototype.send = function (message, ...rest) {
    if (!String(message).includes('"Input.dispatchKeyEvent"')) counter.sent++;
    return send.call(this, message, ...rest);
  };
  return counter;
}

const nanoseconds = (ms) => Math.round(ms * 1e6);

async function serve(client, script) {
  const before = client.counter.sent, cpu = process.cpuUsage(), started = performance.now();
  let last = before, most = 0;
  const done = () => {
    most = Math.max(most, client.counter.sent - last);
    last = client.counter.sent;
  };
  let error = "";
  try {
    await client.play(script, done);
  } catch (err) {
    error = String(err?.stack ?? err);
  }
  const wall = performance.now() - started, used = process.cpuUsage(cpu);
  return { error, wall: nanoseconds(wall), cpu: (used.user + used.system) * 1000, messages: client.counter.sent - before, most };
}

const answer = (report) => process.stdout.write(JSON.stringify(report) + "\n");

let client, scripts;
for await (const line of createInterface({ input: process.stdin })) {
  const told = JSON.parse(line);
  if (client) {
    answer(await serve(client, scripts.get(told.play)));
    continue;
  }
  try {
    scripts = new Map(told.scripts.map((script) => [script.name, script]));
    client = await makers[told.client](told);
    answer({});
  } catch (err) {
    answer({ error: String(err?.stack ?? err) });
    break;
  }
}
process.exit(0); // what is connected stays so otherwise
