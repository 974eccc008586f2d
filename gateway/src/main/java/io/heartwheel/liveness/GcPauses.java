package io.heartwheel.liveness;

import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.Locale;

/** Garbage collections that stop the program. Any thread. */
public final class GcPauses {
    /** Asking for the beans costs a thousand times what they cost. */
    private static final List<GarbageCollectorMXBean> COLLECTORS =
            ManagementFactory.getGarbageCollectorMXBeans().stream()
                    .filter(GcPauses::stopsTheWorld)
                    .toList();

    private GcPauses() {}

    /** Collectors that run beside the program have a bean for their pauses and one for the rest. */
    private static boolean stopsTheWorld(GarbageCollectorMXBean bean) {
        String name = bean.getName().toLowerCase(Locale.ROOT);
        return !name.contains("concurrent") && !name.contains("cycles");
    }

    /** Time in them since the process began, milliseconds. */
    public static long totalMillis() {
        long millis = 0;
        for (GarbageCollectorMXBean bean : COLLECTORS) {
            millis += Math.max(0, bean.getCollectionTime());
        }
        return millis;
    }
}
