/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.acceptance;

import dev.baton.protocol.json.Json;
import java.nio.file.Path;
import java.util.List;

/**
 * The requests of a hostile page: fetch in each mode, with and without the key, forms, a script,
 * streams of events and WebSockets.
 *
 * @param run that exists
 * @param workflow that exists
 * @param key of the API, as if the page had learned it
 * @param started file that a step creates if the page starts a run
 */
record BrowserAttackScript(String run, String workflow, String key, Path started) {
  /**
   * Returns JavaScript that tries everything at each of the addresses, and whose promise has what
   * the page can read: a text for each answer that is not refused by the browser.
   */
  String at(List<String> addresses) {
    return """
    (async () => {
      const seen = [];
      const definition = {name: "of-a-page", steps: [{id: "a", shell: "touch STARTED"}]};
      const bodies = [JSON.stringify({definition}), JSON.stringify({workflow: "SECRET"})];
      const within = (promise) => Promise.race([promise, new Promise(r => setTimeout(() => r("-"), 5000))]);
      for (const at of ADDRESSES) {
        for (const mode of ["cors", "no-cors", "same-origin"]) {
          for (const key of [null, "KEY"]) {
            for (const type of [null, "text/plain", "application/json", "application/x-www-form-urlencoded"]) {
              for (const body of bodies) {
                const headers = {};
                if (type) headers["Content-Type"] = type;
                if (key) headers["Authorization"] = "Bearer " + key;
                const sent = type ? body : new Blob([body]);
                await within(fetch(at + "/runs", {method: "POST", mode, headers, body: sent})
                    .then(async r => seen.push(at + " POST " + r.type + " " + r.status + " " + await r.text()), () => "-"));
              }
            }
            for (const path of ["/runs", "/runs/RUN", "/runs/RUN/logs", "/workflows", "/q/metrics", "/.well-known/jwks.json"]) {
              const headers = key ? {Authorization: "Bearer " + key} : {};
              await within(fetch(at + path, {mode, headers})
                  .then(async r => seen.push(at + path + " GET " + r.type + " " + r.status + " " + await r.text()), () => "-"));
            }
            for (const [method, path] of [["DELETE", "/runs/RUN"], ["POST", "/runs/RUN/cancel"], ["PUT", "/workflows/SECRET/limit"]]) {
              const headers = key ? {Authorization: "Bearer " + key} : {};
              await within(fetch(at + path, {method, mode, headers})
                  .then(async r => seen.push(at + path + " " + method + " " + r.type + " " + r.status + " " + await r.text()), () => "-"));
            }
          }
        }
        for (const enctype of ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data"]) {
          const frame = document.createElement("iframe");
          frame.name = "f" + Math.random();
          document.body.append(frame);
          const form = document.createElement("form");
          form.method = "post"; form.enctype = enctype; form.action = at + "/runs"; form.target = frame.name;
          const field = document.createElement("input");
          field.name = bodies[0].slice(0, -1) + ',"x":"'; field.value = '"}';
          form.append(field); document.body.append(form);
          await within(new Promise(done => { frame.onload = done; form.submit(); }));
          try { seen.push(at + " FORM " + frame.contentDocument.body.innerText); } catch (e) { }
        }
        const script = document.createElement("script");
        script.src = at + "/runs";
        await within(new Promise(done => { script.onload = () => { seen.push(at + " SCRIPT loaded"); done(); }; script.onerror = done; document.body.append(script); }));
        for (const path of ["/runs/RUN/events", "/runs/RUN/logs?follow=true"]) {
          await within(new Promise(done => {
            const source = new EventSource(at + path);
            source.onopen = () => { seen.push(at + path + " STREAM open"); source.close(); done(); };
            source.onmessage = m => seen.push(at + path + " STREAM " + m.data);
            source.onerror = () => { source.close(); done(); };
          }));
        }
        for (const path of ["/runs/RUN/terminal", "/runs/RUN/terminal?read_only=true", "/"]) {
          await within(new Promise(done => {
            const socket = new WebSocket(at.replace("http", "ws") + path);
            socket.onopen = () => { seen.push(at + path + " SOCKET open"); socket.close(); done(); };
            socket.onerror = socket.onclose = done;
          }));
        }
      }
      return seen;
    })()\
    """
        .replace("STARTED", started.toString())
        .replace("SECRET", workflow)
        .replace("KEY", key)
        .replace("RUN", run)
        .replace("ADDRESSES", Json.mapper().valueToTree(addresses).toString());
  }
}
