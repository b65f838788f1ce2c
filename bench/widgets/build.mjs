// Makes cases of pages that are written with libraries of controls: each gets its page, and its libraries in one script.
// node build.mjs OUT NAME.txtar ...
import { build } from "esbuild";
import { readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";

const [out, ...files] = process.argv.slice(2);

for (const file of files) {
  const [about, ...parts] = readFileSync(file, "utf8").split(/^-- (.+) --\n/m);
  const part = (name) => parts[parts.indexOf(name) + 1];
  const made = await build({
    stdin: parts.includes("app.ts")
      ? { contents: part("app.ts"), loader: "ts", resolveDir: import.meta.dirname }
      : { contents: part("app.jsx"), loader: "jsx", resolveDir: import.meta.dirname },
    tsconfigRaw: { compilerOptions: { experimentalDecorators: true, useDefineForClassFields: false } },
    bundle: true, minify: true, write: false, charset: "ascii", outdir: "/", logLevel: "error",
    define: {
      "process.env.NODE_ENV": '"production"', __VUE_OPTIONS_API__: "true", __VUE_PROD_DEVTOOLS__: "false", __VUE_PROD_HYDRATION_MISMATCH_DETAILS__: "false",
    },
    banner: { js: "var process = { env: {} };" },
    loader: { ".woff2": "empty", ".woff": "empty", ".ttf": "empty", ".eot": "empty", ".svg": "dataurl", ".png": "dataurl", ".gif": "dataurl" },
  });
  // A line of theirs must not begin a part of the case.
  const text = (end) => made.outputFiles.filter(({ path }) => path.endsWith(end)).map(({ text }) => text.replace(/^-- /gm, " -- ")).join("\n");
  const page = '<link rel=stylesheet href="/style.css"><div id=root></div><script src="/app.js"></script>';
  const own = ["actions", "play", "want"].map((name) => `-- ${name} --\n${part(name)}`).join("");
  const types = "style.css Content-Type: text/css\napp.js Content-Type: text/javascript\n";
  writeFileSync(join(out, basename(file)), `${about}-- page.html --\n${page}\n-- app.js --\n${text(".js")}\n-- style.css --\n${text(".css")}\n-- headers --\n${types}${own}`);
}
