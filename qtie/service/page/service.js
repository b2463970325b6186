/* Asking the service: JSON over POST, the token where it wants one, and errors as it words them. */
"use strict";

var qtieService = (() => {
  let token = "";

  class Refusal extends Error {
    constructor(status, message) {
      super(message);
      this.status = status; // 0: no answer at all
    }
  }

  async function call(path, body) {
    const headers = {Accept: "application/json"};
    if (body !== undefined) headers["Content-Type"] = "application/json";
    if (token) headers.Authorization = `Bearer ${token}`;
    const asked = {method: body === undefined ? "GET" : "POST", headers, body: JSON.stringify(body)};
    let reply;
    try {
      reply = await fetch(path, asked);
    } catch {
      throw new Refusal(0, "The service does not answer.");
    }
    const record = await reply.json().catch(() => ({}));
    if (!reply.ok) throw new Refusal(reply.status, record.message || `The service answers ${reply.status}.`);
    return record;
  }

  // Runs `work` again and again, never twice at a time: what is asked for meanwhile is done once, afterwards.
  function oneAtATime(work) {
    let isRunning = false, isWanted = false;
    return async () => {
      isWanted = true;
      if (isRunning) return;
      isRunning = true;
      while (isWanted) {
        isWanted = false;
        await work();
      }
      isRunning = false;
    };
  }

  // The last answer of `ask`, as long as the same is asked.
  function remembered(ask) {
    let key = null, answer = null;
    return async (...asked) => {
      const wanted = JSON.stringify(asked);
      if (wanted !== key) {
        answer = await ask(...asked);
        key = wanted;
      }
      return answer;
    };
  }

  return {call, oneAtATime, remembered, useToken: (given) => { token = given.trim(); }, hasToken: () => token !== ""};
})();
