package io.heartwheel.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Debian's {@code python3-websockets} as a device: a WebSocket stack that is not ours, and frames packed from the document by hand. */
@Tag("interop")
class PythonClientInteropTest {
    private static final String PYTHON = "/usr/bin/python3";

    private static final String PREAMBLE =
            """
            import asyncio, struct, sys, websockets
            from websockets.exceptions import ConnectionClosed

            URL, ADMIN = sys.argv[1], sys.argv[2]

            async def closed(ws):
                try:
                    while True:
                        await asyncio.wait_for(ws.recv(), 30)
                except ConnectionClosed as end:
                    return end.rcvd.code if end.rcvd else 1006
            """;

    @TempDir
    private Path scratch;

    @Test
    void plain_messagesPingsAndClose_areAsRfc6455HasThem() throws Exception {
        try (GatewayProcess gateway = GatewayProcess.with("sink.kind", "echo", "heartbeat.interval", "1s")
                .set("heartbeat.grace", "10.0")
                .start()) {
            String heard = python(
                    gateway,
                    """
                    import urllib.request

                    async def main():
                        async with websockets.connect(URL + '/ws/python?heartbeat_ms=1000', ping_interval=None) as ws:
                            await ws.send('héllo')
                            assert await ws.recv() == 'héllo'
                            await ws.send(bytes(range(256)) * 200)
                            assert await ws.recv() == bytes(range(256)) * 200
                            await ws.send(['frag', 'ment', 'ed'])
                            assert await ws.recv() == 'fragmented'
                            await asyncio.wait_for(await ws.ping(b'sign'), 30)
                            # the library answers the gateway's pings by itself: alive well past interval x grace
                            await asyncio.sleep(12)
                            await ws.send('still here')
                            assert await ws.recv() == 'still here'
                            request = urllib.request.Request(ADMIN + '/v1/devices/python', method='DELETE')
                            urllib.request.urlopen(request).close()
                            print('closed', await closed(ws))
                        async with websockets.connect(URL + '/ws/python', ping_interval=None) as ws:
                            await ws.close(1000, 'done')
                            print('own close', ws.close_code)

                    asyncio.run(main())
                    """);
            assertEquals("closed 4007\nown close 1000\n", heard);
            assertEquals(1, gateway.metrics().closes("admin_closed"));
            assertEquals(1, gateway.metrics().closes("peer_closed"));
            assertEquals(0, gateway.metrics().closes("heartbeat_timeout"));
        }
    }

    @Test
    void subprotocol_framesPackedFromTheDocument_areUnderstood() throws Exception {
        try (GatewayProcess gateway = GatewayProcess.with("sink.kind", "echo", "heartbeat.grace", "1.5")
                .start()) {
            String heard = python(
                    gateway,
                    """
                    def frame(kind, payload=b'', flags=0):
                        return struct.pack('>BBH', kind, flags, len(payload)) + payload

                    def hello(device, interval, epoch=0, client='python'):
                        return frame(1, b'HW' + struct.pack('>BBIQ', 1, 0, interval, epoch)
                            + struct.pack('>B', len(device)) + device.encode() + struct.pack('>H', 0)
                            + struct.pack('>B', len(client)) + client.encode())

                    async def main():
                        async with websockets.connect(URL + '/ws', subprotocols=['heartwheel.v1'], ping_interval=None) as ws:
                            assert ws.subprotocol == 'heartwheel.v1'
                            await ws.send(hello('python', 10000))
                            kind, flags, length, version, _, interval, grace, session, epoch, limit = struct.unpack(
                                '>BBHBBIHQQI', await ws.recv())
                            print(kind, flags, length, version, interval, grace, limit)
                            assert epoch > 0
                            # two frames in one message, one in each answer
                            await ws.send(frame(3, b'x') + frame(5, struct.pack('>Q', 9) + 'hé'.encode(), 3))
                            print(await ws.recv() == frame(4, b'x'))
                            print(await ws.recv() == frame(5, struct.pack('>Q', 9) + 'hé'.encode(), 2))
                            print(await ws.recv() == frame(6, struct.pack('>QB', 9, 0)))
                            # says nothing more: a probe, then the close frame
                            print(await ws.recv() == frame(3))
                            print('closed', await closed(ws))

                    asyncio.run(main())
                    """);
            assertEquals("2 0 28 1 10000 150 65536\nTrue\nTrue\nTrue\nTrue\nclosed 4001\n", heard);
        }
    }

    /** Runs the script and returns what it printed. */
    private String python(GatewayProcess gateway, String script) throws Exception {
        Path file = Files.writeString(scratch.resolve("device.py"), PREAMBLE + "\n" + script);
        List<String> command = new ArrayList<>(List.of(PYTHON, file.toString()));
        command.add("ws://" + text(gateway, "websocket"));
        command.add("http://" + text(gateway, "admin"));
        Path errors = scratch.resolve("errors");
        ProcessBuilder builder = new ProcessBuilder(command).redirectError(errors.toFile());
        builder.environment().put("PYTHONIOENCODING", "utf-8");
        Process process = builder.start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertTrue(process.waitFor(60, TimeUnit.SECONDS), "python is still running");
        assertEquals(0, process.exitValue(), () -> output + "\n" + readable(errors));
        return output;
    }

    private static String text(GatewayProcess gateway, String listener) {
        return gateway.port(listener).getHostString() + ":"
                + gateway.port(listener).getPort();
    }

    private static String readable(Path file) {
        try {
            return Files.readString(file);
        } catch (java.io.IOException e) {
            return e.toString();
        }
    }
}
