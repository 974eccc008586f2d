package io.heartwheel.transport;

import io.netty.channel.embedded.EmbeddedChannel;

/** Admission for tests of other packages. */
public final class AdmissionFixture {
    private AdmissionFixture() {}

    /** Room for so many, from wherever they come. */
    public static Admission of(int limit) {
        return new Admission(limit, new AdmissionSettings(16), new MemoryGuard(MemorySettings.DEFAULTS), () -> 0);
    }

    /** So many connections come and stay. */
    public static void enter(Admission admission, int connections) {
        for (int i = 0; i < connections; i++) {
            admission.enter(new EmbeddedChannel());
        }
    }
}
