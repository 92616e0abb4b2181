// BullMQ: `addBulk` of a thousand, finished jobs are removed. The same as hits.py and producing.py, for Node.
import { appendFileSync, renameSync, writeFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { createRequire } from "node:module";

const env = process.env;
const { Queue, Worker } = createRequire(env.PEER_NODE + "/package.json")("bullmq");
const [messages, probes, seconds, lease] = ["MESSAGES", "PROBES", "SECONDS", "LEASE"].map((name) => +env["PEER_" + name] || 0);
const url = new URL(env.PEER_URL);
const connection = { host: url.hostname, port: +url.port, maxRetriesPerRequest: null };
const now = () => Number(process.hrtime.bigint()) / 1e9;
const sleep = (for_) => new Promise((resolve) => setTimeout(resolve, for_ * 1000));
const cpu = () => { const used = process.cpuUsage(); return (used.user + used.system) / 1e6; };
const report = (name, figures) => {
  const path = `${env.PEER_REPORT}.${name}`;
  writeFileSync(path + ".part", JSON.stringify(figures));
  renameSync(path + ".part", path);
};
const write = (what, job) => appendFileSync(env.PEER_LEDGER, `${what} ${job.data.i} ${now().toFixed(3)} ${process.pid}\n`);

function work() {
  let count = 0, first = 0;
  const latencies = [];
  async function handle(job) {
    if (env.PEER_LEDGER) {
      write("begin", job);
      await sleep(seconds * (0.5 + ((job.data.i * 37) % 100) / 100));
      write("end", job);
      return;
    }
    count += 1;
    if (count > 1 && count < messages) return;
    const at = now();
    if (count === 1) { first = at; report("started", { cpu: cpu() }); }
    if (count === messages) report("drained", { first, last: at, cpu: cpu(), pid: process.pid });
    else if (count > messages && latencies.push(at - job.data.t) === probes) report("probed", { latencies });
  }
  const locks = lease ? { lockDuration: lease * 1000, stalledInterval: lease * 1000 } : {};
  new Worker(env.PEER_QUEUE, handle, {
    connection, concurrency: +env.PEER_CONCURRENCY, removeOnComplete: { count: 0 }, removeOnFail: { count: 0 }, ...locks,
  });
}

async function produce() {
  const queue = new Queue(env.PEER_QUEUE, { connection, defaultJobOptions: { removeOnComplete: true } });
  await queue.waitUntilReady();
  const add = (i, t = 0) => queue.add("noop", { i, t });
  console.log("ready");
  for await (const line of createInterface({ input: process.stdin })) {
    const [order, from, to, rate] = line.split(" ");
    const start = now();
    if (order === "seq") for (let i = +from; i < +to; i++) await add(i);
    if (order === "bulk") for (let at = +from; at < +to; at += 1000) {
      const length = Math.min(1000, +to - at);
      await queue.addBulk(Array.from({ length }, (_, n) => ({ name: "noop", data: { i: at + n, t: 0 } })));
    }
    if (order === "probe") for (let i = +from, due = now(); i < +to; i++) {
      await add(i, now());
      due += 1 / +rate;
      await sleep(Math.max(0, due - now()));
    }
    console.log(JSON.stringify({ seconds: now() - start }));
  }
  await queue.close();
}

if (process.argv[2] === "producer") await produce(); else work();
