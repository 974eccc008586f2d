package io.heartwheel.liveness;

import java.util.Map;

/**
 * Rate limits by class: what is ordinary, and what devices of a named class have instead. Immutable; any thread.
 *
 * @param ordinary of devices without a class
 * @param classes by the name of the class, at most {@link #MOST}
 */
public record RateClasses(RateLimits ordinary, Map<String, RateLimits> classes) {
    /** Classes there may be. */
    public static final int MOST = 64;

    /** No limit for anybody. */
    public static final RateClasses OFF = new RateClasses(RateLimits.OFF);

    /** @throws IllegalArgumentException if there are too many */
    public RateClasses {
        classes = Map.copyOf(classes);
        if (classes.size() > MOST) {
            throw new IllegalArgumentException("limits.classes: need at most " + MOST + ", not " + classes.size());
        }
    }

    /** The same limits for everybody. */
    public RateClasses(RateLimits ordinary) {
        this(ordinary, Map.of());
    }

    /**
     * The limits of a class; the ordinary ones if it is not known. One look into a table.
     *
     * @param rateClass empty for none
     */
    public RateLimits of(String rateClass) {
        return rateClass.isEmpty() ? ordinary : classes.getOrDefault(rateClass, ordinary);
    }

    /** Whether there is such a class; none, which is empty, there is. */
    public boolean knows(String rateClass) {
        return rateClass.isEmpty() || classes.containsKey(rateClass);
    }
}
