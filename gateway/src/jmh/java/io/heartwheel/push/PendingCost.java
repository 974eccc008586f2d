package io.heartwheel.push;

import io.heartwheel.liveness.LivenessSettings;
import io.heartwheel.session.FakeSession;
import io.heartwheel.session.SessionContext;
import io.heartwheel.session.VirtualGateway;
import io.heartwheel.wheel.TimerObserver;
import io.heartwheel.wheel.Timers;
import io.heartwheel.wheel.TimingWheel;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import javax.management.JMException;
import javax.management.ObjectName;

/**
 * Memory of messages that wait for an acknowledgement: what each takes of the heap beside its payload, by the class histogram after a full collection, for devices
 * with one message and with more. What the futures of who asked take is told apart; a request over HTTP takes more besides.
 *
 * <pre>java -Xmx1g -XX:+UseSerialGC -XX:MarkSweepDeadRatio=0 -XX:MarkSweepAlwaysCompactCount=1 -cp gateway/target/benchmarks.jar io.heartwheel.push.PendingCost</pre>
 *
 * <p>Without the two options of the collector the histogram counts dead objects that it leaves in place.
 *
 * <p>Ends with 1 when one takes more than {@value #MOST_BYTES} bytes on {@value #DEVICES} devices.
 */
public final class PendingCost {
    private static final long MOST_BYTES = 300;
    private static final int DEVICES = 20_000;
    private static final int MESSAGES = 100_000;
    /** Futures between the message and its sender. */
    private static final String SENDER = "java.util.concurrent.CompletableFuture";

    private final VirtualGateway gateway = new VirtualGateway(0, LivenessSettings.defaults());
    private final TimingWheel wheel = new TimingWheel(TimeUnit.MILLISECONDS.toNanos(10), 512, 2 * MESSAGES, 0);
    private final Timers timers = new Timers(wheel, () -> 0, Runnable::run, 2 * MESSAGES, TimerObserver.NONE);
    private final Pushes pushes = new Pushes(gateway.registry, timers, () -> 0, () -> 1, PushSettings.DEFAULTS, null);
    private final SessionContext context = FakeSession.sendingBy(pushes.on(Runnable::run), gateway.sessionContext);
    private final List<FakeSession> devices = new ArrayList<>();

    private PendingCost() {}

    /** Measures, and prints. */
    public static void main(String[] args) throws JMException {
        new PendingCost().measure(100, 5); // loads the classes
        new PendingCost().measure(MESSAGES / 16, 16);
        new PendingCost().measure(MESSAGES / 2, 1);
        long bytes = new PendingCost().measure(DEVICES, MESSAGES / DEVICES);
        System.exit(bytes <= MOST_BYTES ? 0 : 1);
    }

    private long measure(int deviceCount, int each) throws JMException {
        for (int i = 0; i < deviceCount; i++) {
            devices.add(new FakeSession(context).accept(i + 1).hello("device-" + (100_000 + i), ""));
        }
        int count = deviceCount * each;
        byte[] payload = new byte[64];
        Map<String, Long> before = live();
        for (int i = 0; i < count; i++) {
            String deviceId = "device-" + (100_000 + i % deviceCount); // its own, as of a request
            pushes.send(new Push(
                    deviceId,
                    i + 1,
                    true,
                    payload,
                    Push.Ack.DEVICE,
                    false,
                    TimeUnit.SECONDS.toNanos(1) + TimeUnit.MILLISECONDS.toNanos(i),
                    false));
        }
        devices.forEach(device -> device.data.clear());
        for (int i = 0; i < 10; i++) {
            wheel.advance(TimeUnit.MILLISECONDS.toNanos(10L * i), 1_024);
        }
        Map<String, Long> after = live();
        after.replaceAll((name, bytes) -> bytes - before.getOrDefault(name, 0L));
        if (pushes.waiting() != count || timers.pending() != count) {
            throw new IllegalStateException("messages = " + pushes.waiting() + ", timers = " + timers.pending());
        }
        long all = after.values().stream().mapToLong(Long::longValue).sum();
        long sender = after.entrySet().stream()
                .filter(entry -> entry.getKey().startsWith(SENDER))
                .mapToLong(Map.Entry::getValue)
                .sum();
        if (count > MESSAGES / 4) {
            System.out.printf(
                    "%,d messages for %,d devices: %d bytes each, and %d of futures of who asked%n",
                    count, deviceCount, (all - sender) / count, sender / count);
            after.entrySet().stream()
                    .filter(entry -> Math.abs(entry.getValue()) >= count)
                    .forEach(entry ->
                            System.out.printf("    %6.1f %s%n", 1.0 * entry.getValue() / count, entry.getKey()));
        }
        end(count);
        return (all - sender) / count;
    }

    /** Each has its ACK, and nothing is left. */
    private void end(int count) {
        for (int i = 0; i < count; i++) {
            devices.get(i % devices.size()).ack(i + 1, true);
        }
        if (pushes.waiting() + pushes.waitingBytes() + pushes.queues() + timers.pending() != 0) {
            throw new IllegalStateException("left: " + pushes.waiting() + " messages, " + timers.pending() + " timers");
        }
    }

    /** Bytes by class, of what can be reached. */
    private static Map<String, Long> live() throws JMException {
        String histogram = (String) ManagementFactory.getPlatformMBeanServer()
                .invoke(
                        new ObjectName("com.sun.management:type=DiagnosticCommand"),
                        "gcClassHistogram",
                        new Object[] {null},
                        new String[] {String[].class.getName()});
        Map<String, Long> bytes = new TreeMap<>();
        for (String line : histogram.lines().toList()) {
            String[] words = line.strip().split("\\s+");
            if (words.length >= 4 && words[0].endsWith(":")) {
                bytes.merge(words[3], Long.parseLong(words[2]), Long::sum);
            }
        }
        return bytes;
    }
}
