package io.heartwheel.loadgen.client;

import java.util.Locale;

/**
 * Distribution of message sizes, bytes.
 *
 * @param kind how sizes are distributed
 * @param least smallest, 0 or more
 * @param most largest, not below {@code least}
 */
public record Payload(Kind kind, int least, int most) {

    /** Distribution of sizes. */
    public enum Kind {
        /** All as large as the smallest. */
        FIXED,
        /** Each size alike. */
        UNIFORM,
        /** Each order of magnitude alike: many small, few large, as in the field. */
        LOG_UNIFORM;

        /** The name in a scenario. */
        public String label() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }
    }

    /** Checks the ranges. */
    public Payload {
        if (least < 0 || most < least) {
            throw new IllegalArgumentException("payload " + least + ".." + most + " bytes: need 0 <= min <= max");
        }
    }

    /** A size for a random number from 0 to below 1. */
    public int bytes(double unit) {
        return switch (kind) {
            case UNIFORM -> least + (int) (unit * (most - least + 1.0));
            case LOG_UNIFORM -> {
                double low = Math.log(least + 1.0);
                yield (int) Math.min(most, Math.exp(low + unit * (Math.log(most + 2.0) - low)) - 1);
            }
            default -> least;
        };
    }
}
