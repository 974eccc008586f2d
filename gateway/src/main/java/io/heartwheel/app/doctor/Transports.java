package io.heartwheel.app.doctor;

import io.heartwheel.transport.TransportKind;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** Check of the I/O engines that work here, and of the TLS library. */
final class Transports {
    private static final String NATIVE =
            "a Linux kernel on x86_64 or aarch64, glibc, and a temporary directory that allows execution (-Djava.io.tmpdir)";

    private Transports() {}

    static List<Finding> of(CheckContext context) {
        List<Finding> found = new ArrayList<>();
        TransportKind wanted = context.settings().transport().kind();
        found.add(Finding.ok("kernel " + kernel(context.machine())));
        Optional<String> noEpoll = context.probes().obstacle(TransportKind.EPOLL);
        Optional<String> noRing = context.probes().obstacle(TransportKind.IO_URING);
        found.add(look("epoll", noEpoll, wanted == TransportKind.EPOLL, wanted == TransportKind.AUTO));
        found.add(look("io_uring", noRing, wanted == TransportKind.IO_URING, false));
        if (wanted == TransportKind.NIO) {
            found.add(Finding.warn(
                    "transport.kind = nio",
                    "more memory a connection, and the kernel's view of a dead one is missing",
                    "transport.kind = auto"));
        }
        if (context.hasTls()) {
            found.add(boring(context.probes().noBoringSsl()));
        }
        return found;
    }

    private static Finding look(String name, Optional<String> obstacle, boolean needed, boolean missed) {
        if (obstacle.isEmpty()) {
            return Finding.ok(name + " works");
        }
        String what = name + " does not work: " + obstacle.get();
        if (needed) {
            return Finding.fail(what, "the gateway does not start", "transport.kind = auto, or " + NATIVE);
        }
        return missed
                ? Finding.warn(what, "another one is taken, which needs more memory", NATIVE)
                : Finding.ok(what + " (not needed)");
    }

    private static Finding boring(Optional<String> obstacle) {
        return obstacle.map(why -> Finding.warn(
                        "BoringSSL does not load: " + why,
                        "TLS runs on the JDK's provider: about three times the CPU and the heap a connection",
                        NATIVE))
                .orElseGet(() -> Finding.ok("BoringSSL loads"));
    }

    private static String kernel(Machine machine) {
        String release = machine.text("proc/sys/kernel/osrelease");
        return release.isEmpty() ? "not known" : release.toLowerCase(Locale.ROOT);
    }
}
