package io.heartwheel.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.AtOnce;
import io.netty.channel.embedded.EmbeddedChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** The count of connections never exceeds the limit and never drifts. */
class AdmissionTest {

    @Test
    void enter_upToTheLimit_thenRefusesUntilOneCloses() {
        Admission admission = AdmissionFixture.of(2);
        EmbeddedChannel first = new EmbeddedChannel();
        assertTrue(admission.enter(first));
        assertTrue(admission.enter(new EmbeddedChannel()));
        EmbeddedChannel late = new EmbeddedChannel();
        assertFalse(admission.enter(late));
        assertEquals(2, admission.open());
        late.close();
        assertEquals(2, admission.open(), "who was refused was not counted in");
        first.close();
        first.close();
        assertEquals(1, admission.open());
        assertTrue(admission.enter(new EmbeddedChannel()));
        assertEquals(4, admission.accepted());
        assertEquals(1, admission.refused());
        assertEquals(2, admission.limit());
    }

    @Test
    void enter_byManyThreads_neverExceedsTheLimit() throws Exception {
        int limit = 50;
        Admission admission = AdmissionFixture.of(limit);
        AtomicInteger most = new AtomicInteger();
        AtomicInteger entered = new AtomicInteger();
        AtOnce.run(4, thread -> {
            List<EmbeddedChannel> mine = new ArrayList<>();
            for (int i = 0; i < 500; i++) {
                EmbeddedChannel channel = new EmbeddedChannel();
                if (admission.enter(channel)) {
                    mine.add(channel);
                    most.accumulateAndGet(entered.incrementAndGet(), Math::max);
                }
                if (mine.size() > 20) {
                    entered.decrementAndGet();
                    mine.remove(0).close();
                }
            }
            entered.addAndGet(-mine.size());
            mine.forEach(EmbeddedChannel::close);
        });
        assertTrue(most.get() <= limit, "at once: " + most.get());
        assertEquals(0, admission.open());
        assertEquals(2_000, admission.accepted());
    }
}
