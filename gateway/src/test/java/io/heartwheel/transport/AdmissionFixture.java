package io.heartwheel.transport;

import io.netty.channel.embedded.EmbeddedChannel;

/** Lets tests of other packages count connections in. */
public final class AdmissionFixture {
    private AdmissionFixture() {}

    /** So many connections come and stay. */
    public static void enter(Admission admission, int connections) {
        for (int i = 0; i < connections; i++) {
            admission.enter(new EmbeddedChannel());
        }
    }
}
