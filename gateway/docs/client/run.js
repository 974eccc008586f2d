// Runs heartwheel.js in Node as `loadgen conform --over json` wants it: lines of standard input go out, messages come out as lines.
globalThis.WebSocket ??= require('ws');         // Node 22 has one of its own
const {HeartwheelClient} = require('./heartwheel.js');
const {HEARTWHEEL_URL: url, HEARTWHEEL_DEVICE: device, HEARTWHEEL_TOKEN: first = '', HEARTWHEEL_TOKEN_FILE: file, HEARTWHEEL_INTERVAL_MS: interval = '0'} = process.env;
const token = () => file ? require('fs').readFileSync(file, 'utf8').trim() : first;
const log = line => process.stderr.write(`heartwheel.js: ${line}\n`);
const handOn = message => new Promise((done, failed) =>
  process.stdout.write((typeof message === 'string' ? message : new TextDecoder().decode(message)) + '\n', error => error ? failed(error) : done()));
const client = new HeartwheelClient(url, device, handOn, {token, intervalMs: Number(interval), log});

(async () => {
  for await (const line of require('readline').createInterface({input: process.stdin, crlfDelay: Infinity})) {
    await client.room(Buffer.byteLength(line));
    if (client.over) return;
    try { client.send(line); } catch (error) { log('line not sent: ' + error.message); }
  }
  client.stop();
})();
client.run().then(() => process.exit(0), error => { log('not to come again: ' + error.message); process.exit(error.code ? 3 : 1); });
