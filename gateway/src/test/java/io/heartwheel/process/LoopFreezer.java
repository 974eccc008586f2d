package io.heartwheel.process;

import com.sun.jdi.Bootstrap;
import com.sun.jdi.ThreadReference;
import com.sun.jdi.VirtualMachine;
import com.sun.jdi.connect.AttachingConnector;
import com.sun.jdi.connect.Connector;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Stops one thread of a gateway and lets the others run, by a debugger: the gateway does not notice. The gateway has to be started with {@link #AGENT}.
 */
final class LoopFreezer implements AutoCloseable {
    /** Waits for a debugger on a free port, and lets the program run meanwhile. */
    static final String AGENT = "-agentlib:jdwp=transport=dt_socket,server=y,suspend=n,address=127.0.0.1:0";

    private static final Pattern PORT = Pattern.compile("Listening for transport dt_socket at address: (\\d+)");

    private final VirtualMachine gateway;
    private final List<ThreadReference> loops;

    /** Attaches. */
    LoopFreezer(GatewayProcess process) throws Exception {
        Await.until("a port for debuggers", () -> PORT.matcher(process.out()).find());
        Matcher port = PORT.matcher(process.out());
        if (!port.find()) {
            throw new AssertionError(process.out());
        }
        AttachingConnector connector = Bootstrap.virtualMachineManager().attachingConnectors().stream()
                .filter(each -> each.name().equals("com.sun.jdi.SocketAttach"))
                .findFirst()
                .orElseThrow();
        Map<String, Connector.Argument> arguments = connector.defaultArguments();
        arguments.get("hostname").setValue("127.0.0.1");
        arguments.get("port").setValue(port.group(1));
        gateway = connector.attach(arguments);
        loops = gateway.allThreads().stream()
                .filter(thread -> thread.name().startsWith("device-loop"))
                .sorted(Comparator.comparing(ThreadReference::name))
                .toList();
    }

    /** Event loops found. */
    int loops() {
        return loops.size();
    }

    /** Stops this loop for so long. */
    Stall freeze(int loop, Duration length) throws InterruptedException {
        ThreadReference thread = loops.get(loop);
        long beginningNanos = System.nanoTime();
        thread.suspend();
        try {
            long begunNanos = System.nanoTime();
            TimeUnit.NANOSECONDS.sleep(length.toNanos());
            long endingNanos = System.nanoTime();
            thread.resume();
            return new Stall(beginningNanos, begunNanos, endingNanos, System.nanoTime());
        } finally {
            while (thread.suspendCount() > 0) {
                thread.resume();
            }
        }
    }

    /** Stops this loop until what is given back is closed. */
    Frozen freeze(int loop) {
        ThreadReference thread = loops.get(loop);
        thread.suspend();
        return thread::resume;
    }

    /** A loop that stands. */
    interface Frozen extends AutoCloseable {
        @Override
        void close();
    }

    @Override
    public void close() {
        gateway.dispose();
    }
}
