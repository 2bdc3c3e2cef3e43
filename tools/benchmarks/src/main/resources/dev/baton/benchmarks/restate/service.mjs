// The same work as the Baton workflow: so many journaled steps that return their input, or wait.
// Usage: node service.mjs PORT; prints "ready PORT". Listens on 127.0.0.1 only.
import * as http2 from "node:http2";
import * as restate from "@restatedev/restate-sdk";

// The SDK is written for Node 22; this is all it lacks on Node 20.
Promise.withResolvers ??= function () {
  let resolve;
  let reject;
  const promise = new this((a, b) => {
    resolve = a;
    reject = b;
  });
  return { promise, resolve, reject };
};

const steps = restate.service({
  name: "Steps",
  handlers: {
    // With timings it also returns the microseconds from each step's end to the next one's.
    run: async (ctx, { steps, wait, timings, input }) => {
      const took = [];
      let last = process.hrtime.bigint();
      for (let i = 0; i < steps; i++) {
        await (wait > 0 ? ctx.sleep(wait) : ctx.run(`s${i}`, () => input));
        if (timings) {
          const now = process.hrtime.bigint();
          took.push(Math.round(Number(now - last) / 1000));
          last = now;
        }
      }
      return { took };
    },
    // Steps of so many milliseconds; prints each that begins.
    loop: async (ctx, { rounds, millis }) => {
      for (let i = 0; i < rounds; i++) {
        await ctx.run(`s${i}`, async () => {
          console.log(`step ${i}`);
          await new Promise((resolve) => setTimeout(resolve, millis));
        });
      }
      console.log("end");
    },
  },
});

const port = Number(process.argv[2]);
http2
  .createServer(restate.createEndpointHandler({ services: [steps] }))
  .listen(port, "127.0.0.1", () => console.log(`ready ${port}`));
