package io.heartwheel.app;

import java.util.function.IntConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import sun.misc.Signal;
import sun.misc.SignalHandler;

/**
 * SIGTERM and SIGINT: the first begins the drain, the next ends the process at once with 128 + its number. SIGHUP: the configuration is read again.
 *
 * <p>Handlers of our own, because the JVM's would end the process with 143 after the tidiest of drains, and would let a second signal wait
 * behind the first. One that was ignored by whoever started the process (nohup, the background of a shell) stays ignored, as the JVM sees to it; that is
 * told. {@code sun.misc.Signal} is what the JDK offers for it (module jdk.unsupported, kept for this use by JEP 260).
 */
final class Signals {
    private static final Logger LOG = LoggerFactory.getLogger(Signals.class);
    private static final int BASE_STATUS = 128;
    private static final String RELOAD = "HUP";

    private final StopSwitch stopSwitch;
    private final IntConsumer halt;

    /** @param halt ends the process with a status, without anything else */
    Signals(StopSwitch stopSwitch, IntConsumer halt) {
        this.stopSwitch = stopSwitch;
        this.halt = halt;
    }

    /** Takes the signals over; one that the JVM will not give away (-Xrs) is left to it. */
    void install() {
        for (String name : new String[] {"TERM", "INT", RELOAD}) {
            try {
                SignalHandler before =
                        Signal.handle(new Signal(name), signal -> received(signal.getName(), signal.getNumber()));
                if (before == SignalHandler.SIG_IGN) {
                    LOG.warn("SIG{} is ignored: this process was started so; {}", name, insteadOf(name));
                }
            } catch (IllegalArgumentException e) {
                LOG.warn("SIG{} cannot be handled: nothing is done by it", name);
            }
        }
    }

    private static String insteadOf(String name) {
        return switch (name) {
            case RELOAD -> "the configuration is read again by POST /v1/reload alone";
            case "INT" -> "end it with SIGTERM";
            default -> "only SIGKILL ends it, without a drain";
        };
    }

    /** On a thread of its own for each signal. */
    void received(String name, int number) {
        LOG.info("SIG{} received", name);
        if (name.equals(RELOAD)) {
            if (!stopSwitch.reload()) {
                LOG.info("still starting: the configuration is read again when that is done");
            }
        } else if (!stopSwitch.stop()) {
            halt.accept(BASE_STATUS + number);
        }
    }
}
