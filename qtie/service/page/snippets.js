/* A request as a line of shell and as a Python script; the token is left to the environment. */
"use strict";

var qtieSnippets = (() => {
  const quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`;

  function curl(url, body, hasToken) {
    const headers = ["-H 'Content-Type: application/json'", ...(hasToken ? ['-H "Authorization: Bearer $QTIE_TOKEN"'] : [])];
    return `curl -sS ${quoted(url)} ${headers.join(" ")} --data-raw ${quoted(JSON.stringify(body))}\n`;
  }

  // A value as Python writes it.
  function literal(value, indent = "") {
    if (value === null) return "None";
    if (typeof value === "boolean") return value ? "True" : "False";
    if (typeof value !== "object") return JSON.stringify(value); // numbers, and texts: every JSON text is a Python text
    const deeper = `${indent}    `, isList = Array.isArray(value);
    const lines = isList
      ? value.map((item) => `${deeper}${literal(item, deeper)},\n`)
      : Object.entries(value).map(([key, item]) => `${deeper}${JSON.stringify(key)}: ${literal(item, deeper)},\n`);
    const [open, close] = isList ? "[]" : "{}";
    return lines.length ? `${open}\n${lines.join("")}${indent}${close}` : open + close;
  }

  function python(url, body, hasToken) {
    const headers = hasToken ? ', headers={"Authorization": f"Bearer {os.environ[\'QTIE_TOKEN\']}"}' : "";
    return `${hasToken ? "import os\n\n" : ""}import httpx

request = ${literal(body)}
reply = httpx.post(${JSON.stringify(url)}, json=request${headers}).raise_for_status().json()
for result in reply["results"]:
    print(result)
`;
  }

  return {curl, python};
})();
