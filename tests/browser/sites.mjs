// sites PAYROLL: pages of other sites, in a real browser, against servers on this machine. Called by
// `run`, which names the folder of playwright-core in NODE_FOLDER. All names lead to 127.0.0.1, as
// rebound ones do; what another site sent is told by what is in the database afterwards.
import { spawn } from "node:child_process";
import { createServer, request } from "node:http";
import { createInterface } from "node:readline";
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";

const [payroll] = process.argv.slice(2);
const require = createRequire(process.env.NODE_FOLDER + "/");
const { chromium } = require("playwright-core");
const example = name => readFileSync(
  new URL(`../../example/payroll/requests/${name}.soap11.xml`, import.meta.url), "utf8");
const insert = example("Address_InsertCurrent");
const list = example("Address_GetListCurrent").replace(/(<EmployeeId>)\d+/, "$12");
const path = "/soap/v3/EmployeeService.asmx";

let passed = 0;
let failed = 0;
const same = (name, found, expected) => {
  const good = JSON.stringify(found) === JSON.stringify(expected);
  good ? ++passed : ++failed;
  console.log(`${good ? "ok  " : "FAIL"} ${name}` +
    (good ? "" : `: ${JSON.stringify(found)}, expected ${JSON.stringify(expected)}`));
};

// --- Servers ---
const children = [];
const start = async (...options) => {
  const child = spawn(payroll, ["serve", "--demo", "--port", "0", "--log-level", "off", ...options],
    { stdio: ["ignore", "pipe", "inherit"] });
  children.push(child);
  for await (const line of createInterface({ input: child.stdout }))
    if (line.startsWith("listening on ")) return line.slice("listening on ".length);
  throw new Error("the server ended");
};
/// Addresses of employee 2, asked by what is no browser.
const count = url => new Promise((resolve, reject) => {
  const asked = request(url + path, { method: "POST", headers: { "Content-Type": "text/xml" } },
    response => {
      let text = "";
      response.on("data", piece => text += piece);
      response.on("end", () => resolve(text.split("<EmployeeAddress>").length - 1));
    });
  asked.on("error", reject);
  asked.end(list);
});
const others = createServer((_, response) =>
  response.writeHead(200, { "Content-Type": "text/html" }).end("<!DOCTYPE html><title>x</title>"));
await new Promise(resolve => others.listen(0, "127.0.0.1", resolve));
const port = others.address().port;

const plain = await start();
const open = await start("--auth", "domain", "--allow-origin", `http://app.example:${port}`);
const browser = await chromium.launch({
  executablePath: "/usr/bin/chromium",
  args: ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
    "--host-resolver-rules=MAP *.example 127.0.0.1"],
});
const context = await browser.newContext();
const visit = async url => {
  const page = await context.newPage();
  page.setDefaultTimeout(15000);
  return [page, (await page.goto(url)).status()];
};

/// What fetch in a page comes to: a status, or "opaque", or "refused" by the browser.
const send = (page, url, options) => page.evaluate(async ([url, options]) => {
  if (options.blob !== undefined)
    options.body = new Blob([options.body], options.blob ? { type: options.blob } : {});
  try {
    const response = await fetch(url, options);
    if (response.type === "opaque") return "opaque";
    const text = await response.text();
    return `${response.status} ${/<Address_InsertCurrentResult>\d/.test(text) ? "inserted" : "-"} ` +
      (response.headers.get("X-Request-Id") ? "with id" : "without id");
  } catch {
    return "refused";
  }
}, [url, options]);
const posting = (type, more = {}) =>
  ({ method: "POST", body: insert, ...(type ? { headers: { "Content-Type": type } } : {}), ...more });

// --- What other sites may not do ---
async function otherSites() {
  const before = await count(plain);
  for (const host of ["evil.example", "localhost"]) {
    const [page] = await visit(`http://${host}:${port}/`);
    for (const blob of ["", "text/plain", "application/x-www-form-urlencoded"]) {
      const options = posting("", { mode: "no-cors", blob });
      same(`${host}: a Blob of type '${blob}' goes out without being asked for`,
        await send(page, plain + path, options), "opaque");
    }
    same(`${host}: text/xml needs a preflight, which fails`,
      await send(page, plain + path, posting("text/xml")), "refused");
    same(`${host}: what is answered cannot be read`,
      await send(page, `${plain}${path}?wsdl`, {}), "refused");
    await page.evaluate(([to, xml]) => {
      const form = document.createElement("form");
      const [name, value] = xml.replace(/\s+/g, " ").split("=", 2);
      Object.assign(form, { method: "POST", action: to, enctype: "text/plain" });
      form.append(Object.assign(document.createElement("input"), { name, value }));
      document.body.append(form);
      form.submit();
    }, [plain + path, insert]);
    await page.waitForURL(plain + path);
    same(`${host}: a form is answered with a fault`,
      (await page.content()).includes("is another site"), true);
    await page.close();
  }
  same("nothing that other sites sent was done", await count(plain), before);
}

async function rebound() {
  const before = await count(plain);
  const name = plain.replace("127.0.0.1", "rebound.example");
  for (const target of ["/", path, path + "?wsdl"]) {
    const [page, status] = await visit(name + target);
    same(`a rebound name is not answered to: ${target}`, status, 421);
    same(`its page cannot call: ${target}`,
      await send(page, name + path, posting("text/xml")), "421 - with id");
    await page.close();
  }
  const [page, status] = await visit(plain.replace("127.0.0.1", "x.localhost") + path);
  same("localhost and what is below it is answered to", status, 200);
  await page.close();
  same("nothing that a rebound page sent was done", await count(plain), before);
}

// --- What may be done ---
async function ownPages() {
  const before = await count(plain);
  for (const host of ["127.0.0.1", "localhost"]) {
    const own = plain.replace("127.0.0.1", host);
    const [page] = await visit(`${own}${path}?op=Address_InsertCurrent`);
    for (const type of ["text/xml; charset=utf-8", "application/xml"])
      same(`${host}: its own pages may call with ${type}`,
        await send(page, own + path, posting(type)), "200 inserted with id");
    await page.close();
  }
  same("what its own pages sent was done", await count(plain), before + 4);
}

async function listedOrigin() {
  const before = await count(open);
  const [page] = await visit(`http://app.example:${port}/`);
  for (const type of ["text/xml", "text/xml; charset=utf-8"])
    same(`a listed origin may call with ${type}`,
      await send(page, open + path, posting(type)), "200 inserted with id");
  same("with SOAPAction", await send(page, open + path, { ...posting(""),
    headers: { "Content-Type": "text/xml", SOAPAction: '""', Authorization: "Basic x" } }),
  "200 inserted with id");
  same("but not with cookies",
    await send(page, open + path, posting("text/xml", { credentials: "include" })), "refused");
  same("nor with a field that nobody knows", await send(page, open + path,
    { ...posting(""), headers: { "Content-Type": "text/xml", "X-Other": "1" } }), "refused");
  same("it may read a fault", await send(page, open + path,
    posting("text/xml", { body: "<x/>" })), "500 - with id");
  same("and the WSDL", await send(page, `${open}${path}?wsdl`, {}), "200 - without id");
  same("but no help page", await send(page, open + path, {}), "refused");
  await page.close();
  const [other] = await visit(`http://evil.example:${port}/`);
  same("an origin that is not listed may not",
    await send(other, open + path, posting("text/xml")), "refused");
  same("what the listed origin sent was done, and nothing else", await count(open), before + 3);
  await other.close();
}

try {
  for (const part of [otherSites, rebound, ownPages, listedOrigin])
    await part().catch(error => same(part.name, String(error), ""));
} finally {
  await browser.close();
  others.close();
  for (const child of children)
    child.kill();
}
console.log(`${passed} passed, ${failed} failed`);
