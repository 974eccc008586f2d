package io.heartwheel.loadgen.client;

import io.heartwheel.loadgen.measure.Count;
import java.lang.reflect.Proxy;
import java.util.function.Consumer;

/** Observers that tell in words what a device does. */
final class Observers {
    private Observers() {}

    /** The words for what was told, or null for none. */
    interface Words {
        String of(String what, Object[] told);
    }

    @SuppressWarnings("unchecked")
    static DeviceObserver<Device> telling(Consumer<String> seen, Words words) {
        Class<?>[] type = {DeviceObserver.class};
        return (DeviceObserver<Device>)
                Proxy.newProxyInstance(Observers.class.getClassLoader(), type, (proxy, method, told) -> {
                    String said = words.of(method.getName(), told);
                    if (said != null) {
                        seen.accept(said);
                    }
                    return null;
                });
    }

    /** Tells nearly all; times in milliseconds. */
    static DeviceObserver<Device> recording(Consumer<String> seen) {
        return telling(seen, (what, told) -> switch (what) {
            case "opened", "goaway", "probed", "missed" -> what;
            case "counted" -> told[1] == Count.LOST ? "lost" : told[1] == Count.RETRIES ? "retried" : null;
            case "retryFailed" -> "retry failed" + (told[1] == ConnectionEnd.OWN_FAILURE ? " here" : "");
            case "tookOver" -> "took over";
            case "recovered" -> "recovered " + millis(told[1]);
            case "beatSent" -> "beat lag " + millis(told[1]);
            case "beatAnswered" ->
                "answered " + millis(told[1]) + " uncorrected " + ((long) told[2] < 0 ? "-" : millis(told[2]));
            case "unanswered" -> "unanswered " + told[1] + ((boolean) told[2] ? " proven: " : ": ") + told[3];
            case "message" -> told[1] == MessageTracker.Fact.AGAIN ? null : what + " " + told[1];
            case "violated" -> what + " " + told[1];
            case "messageFault" -> "message " + told[1];
            case "misdelivered" -> "misdelivered " + told[1] + " " + told[2];
            case "answeredLate" -> "late: " + told[1];
            case "closeExpected" -> "close expected " + told[1];
            case "predecessorEnded" -> "predecessor ended " + told[2] + " " + told[3];
            case "ended", "refused" -> what + " " + told[1] + " " + told[2];
            default -> null;
        });
    }

    private static String millis(Object nanos) {
        return Long.toString((long) nanos / 1_000_000);
    }
}
