package io.heartwheel.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

/**
 * System calls of a gateway with a journal: each message is read, written to the log of the database, synced, and only then acknowledged. Every message has a text of
 * its own, by which its calls are found. Each sync is held up before it begins, so that whoever did not wait for it would be seen. An ACK may well be
 * sent during the sync of a later message; so each is judged by its own. Needs strace.
 */
@Tag("interop")
@Isolated
class AckAfterSyncInteropTest {
    private static final int DEVICES = 5;
    private static final int ALONE = 20;
    private static final int TOGETHER = 20;
    private static final String WRITES = "pwrite64,pwritev,pwritev2,write,writev,sendto,sendmsg,sendmmsg";
    private static final String READS = "read,readv,recvfrom,recvmsg";
    private static final String SYNCS = "fdatasync,fsync";
    private static final String DELAY = "inject=fdatasync,fsync:delay_enter=20000";

    @TempDir
    private Path scratch;

    @Test
    void ack_withSyncAlways_followsTheSyncOfItsMessage() throws Exception {
        assertEquals(List.of(), acksTooEarly("always"));
    }

    /** The other test can fail: this one finds what that looks for. */
    @Test
    void ack_withSyncNever_waitsForNone() throws Exception {
        assertFalse(acksTooEarly("never").isEmpty(), "each of them came after a sync");
    }

    private List<String> acksTooEarly(String sync) throws Exception {
        List<SystemCalls.Call> calls;
        int port;
        List<WireClient> devices = new ArrayList<>();
        try (GatewayProcess gateway = GatewayProcess.with("sink.kind", "journal", "transport.kind", "epoll")
                .set("journal.directory", scratch.resolve("journal").toString(), "journal.sync", sync)
                .set("outlets.log.kind", "file")
                .set("outlets.log.file", scratch.resolve("events.jsonl").toString())
                .start()) {
            port = gateway.tcp().getPort();
            for (int i = 0; i < DEVICES; i++) {
                devices.add(WireClient.hello(gateway.tcp(), "device-" + i));
            }
            try (SystemCalls trace =
                    SystemCalls.of(gateway.pid(), gateway.directory(), String.join(",", WRITES, READS, SYNCS), DELAY)) {
                long id = 0;
                for (int i = 0; i < ALONE; i++) {
                    say(devices.get(0), ++id);
                    hear(devices.get(0), id);
                }
                for (int i = 0; i < TOGETHER; i++) {
                    for (WireClient device : devices) {
                        say(device, ++id);
                    }
                    for (WireClient device : devices) {
                        hear(device, id - DEVICES + 1 + devices.indexOf(device));
                    }
                }
                say(devices.get(0), ++id); // one more, so that the trace has all before
                hear(devices.get(0), id);
                calls = trace.end();
            }
        } finally {
            for (WireClient device : devices) {
                device.close();
            }
        }
        return judge(calls, port);
    }

    private static String text(long id) {
        return "<proof " + id + ">";
    }

    private static void say(WireClient device, long id) throws Exception {
        device.data(id, WireFrame.WANTS_ACK | WireFrame.TEXT, text(id));
    }

    private static void hear(WireClient device, long id) throws Exception {
        WireFrame ack = device.next(WireFrame.ACK);
        assertEquals(id, ack.id());
        assertEquals(0, ack.status());
    }

    /** What is wrong with each ACK that came too early. */
    private static List<String> judge(List<SystemCalls.Call> calls, int port) {
        List<SystemCalls.Call> reads = new ArrayList<>();
        List<SystemCalls.Call> logged = new ArrayList<>();
        List<SystemCalls.Call> syncs = new ArrayList<>();
        TreeMap<Long, SystemCalls.Call> acks = new TreeMap<>();
        for (SystemCalls.Call call : calls) {
            boolean isRead = READS.contains(call.name());
            if (call.target().contains(":" + port + "->") && call.result() > 0) {
                if (isRead) {
                    reads.add(call);
                } else {
                    noteAcks(call, acks);
                }
            } else if (call.target().endsWith(".log") && call.result() >= 0 && !isRead) {
                (SYNCS.contains(call.name()) ? syncs : logged).add(call);
            }
        }
        acks.tailMap(ALONE + DEVICES * TOGETHER + 1L).clear();
        assertEquals(ALONE + DEVICES * TOGETHER, acks.size(), () -> calls.size() + " calls, ACKs for " + acks.keySet());
        List<String> wrong = new ArrayList<>();
        acks.forEach((id, ack) -> {
            String problem = problem(text(id), ack, reads, logged, syncs);
            if (!problem.isEmpty()) {
                wrong.add("ACK " + id + " at line " + ack.begun() + ": " + problem);
            }
        });
        return wrong;
    }

    /** The frames of type ACK in what was sent to a device. */
    private static void noteAcks(SystemCalls.Call sent, Map<Long, SystemCalls.Call> acks) {
        ByteBuffer bytes = ByteBuffer.wrap(sent.bytes());
        while (bytes.hasRemaining()) {
            int at = bytes.position();
            if (bytes.get(at) == WireFrame.ACK) {
                acks.put(bytes.getLong(at + 4), sent);
            }
            bytes.position(at + 4 + bytes.getShort(at + 2));
        }
    }

    private static String problem(
            String text,
            SystemCalls.Call ack,
            List<SystemCalls.Call> reads,
            List<SystemCalls.Call> logged,
            List<SystemCalls.Call> syncs) {
        SystemCalls.Call read = first(text, reads);
        SystemCalls.Call log = first(text, logged);
        if (read == null || log == null) {
            return read == null ? "never read" : "never written to the log";
        }
        if (log.begun() <= read.ended()) {
            return "written at line " + log.begun() + ", before it was read at " + read.ended();
        }
        boolean synced = syncs.stream().anyMatch(sync -> sync.begun() > log.ended() && sync.ended() < ack.begun());
        return synced ? "" : "no sync between line " + log.ended() + ", where it was written, and the ACK";
    }

    private static SystemCalls.Call first(String text, List<SystemCalls.Call> calls) {
        return calls.stream().filter(call -> call.holds(text)).findFirst().orElse(null);
    }
}
