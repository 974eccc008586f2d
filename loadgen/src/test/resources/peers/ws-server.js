// What the README of the npm package "ws" says under "How to detect and close broken connections?", word for word but for
// the period and the address, and with an echo. Arguments: port, period in milliseconds.
'use strict';
const { WebSocketServer } = require('ws');

const [port, period] = process.argv.slice(2).map(Number);

function heartbeat() {
  this.isAlive = true;
}

const wss = new WebSocketServer({ host: '127.0.0.1', port, backlog: 4096 });

wss.on('connection', function connection(ws) {
  ws.isAlive = true;
  ws.on('error', console.error);
  ws.on('pong', heartbeat);
  ws.on('message', (data, isBinary) => ws.send(data, { binary: isBinary }));
});

const interval = setInterval(function ping() {
  wss.clients.forEach(function each(ws) {
    if (ws.isAlive === false) return ws.terminate();

    ws.isAlive = false;
    ws.ping();
  });
}, period);

wss.on('close', function close() {
  clearInterval(interval);
});
