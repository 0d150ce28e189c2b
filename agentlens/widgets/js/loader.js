// plotly.js comes once a page: from the page itself, or from Python over the comm, never a network.

const SLOT = "__agentlens_plotly__";
const PATIENCE = 15000; // ms; after that another stage asks too: the first one's kernel may be gone

export function plotlyReady(model, isolated) {
  if (window.Plotly && window.Plotly.newPlot) return Promise.resolve(window.Plotly);
  if (isolated || !model.send) return Promise.resolve(null);
  const asked = window[SLOT];
  if (!asked || performance.now() - asked.since > PATIENCE) {
    const promise = ask(model).then(run).catch((error) => {
      console.warn("agentlens: plotly did not load", error);
      return null;
    });
    window[SLOT] = { promise, since: performance.now() };
  }
  return window[SLOT].promise;
}

// A busy kernel answers when it is free again; a dead one never does, and the still layer stays.
function ask(model) {
  return new Promise((resolve, reject) => {
    function hear(message, buffers) {
      if (!message || message.type !== "plotly") return;
      model.off("msg:custom", hear);
      if (buffers && buffers.length) resolve(buffers[0]);
      else reject(new Error("an empty answer"));
    }
    model.on("msg:custom", hear);
    model.send({ type: "plotly?" });
  });
}

// The buffer is gzip; a page may hold an AMD loader or a `module`, which must not swallow it.
async function run(buffer) {
  if (window.Plotly && window.Plotly.newPlot) return window.Plotly;
  const bytes = buffer.buffer ? new Uint8Array(buffer.buffer, buffer.byteOffset, buffer.byteLength) : new Uint8Array(buffer);
  const source = await new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).text();
  const wrapped = `(function(){var define,module,exports;${source}\n}).call(window);`;
  const url = URL.createObjectURL(new Blob([wrapped], { type: "text/javascript" }));
  try {
    await new Promise((resolve, reject) => {
      const script = document.createElement("script");
      script.src = url;
      script.onload = resolve;
      script.onerror = () => reject(new Error("plotly did not load"));
      document.head.appendChild(script);
    });
  } finally {
    URL.revokeObjectURL(url);
  }
  return window.Plotly || null;
}

// Run something after the next paint, in an idle moment; returns what calls it off.
export function whenIdle(act) {
  if (window.requestIdleCallback) {
    const asked = window.requestIdleCallback(act, { timeout: 500 });
    return () => window.cancelIdleCallback(asked);
  }
  const asked = setTimeout(act, 30);
  return () => clearTimeout(asked);
}
