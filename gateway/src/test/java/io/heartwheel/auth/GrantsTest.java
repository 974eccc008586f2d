package io.heartwheel.auth;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class GrantsTest {
    private static final int MOST = 65_536;

    private final Grants grants = new Grants();

    private static Grant of(String tenant) {
        return new Grant(0, 0, "", List.of("g"), Map.of("tenant", tenant));
    }

    @Test
    void share_equalOnes_areOneObject() {
        Grant first = grants.share(of("acme"));
        assertSame(first, grants.share(of("acme")));
        assertNotSame(first, grants.share(of("other")));
        assertNull(grants.share(new Grant(0, 0, "", List.of(), Map.of())));
    }

    @Test
    void share_moreThanTheMost_keepsThoseThatSomebodyHas() {
        List<Grant> kept = new ArrayList<>();
        for (int i = 0; i < MOST; i++) {
            kept.add(grants.share(of("t" + i)));
        }
        assertNotSame(grants.share(of("one more")), grants.share(of("one more")));
        assertSame(kept.get(7), grants.share(of("t7")));
        assertEquals(MOST, kept.size());
    }

    /** Attributes that change with each token, such as its id, come and go. */
    @Test
    @SuppressWarnings("ReferenceEquality") // that is what is shared
    void share_afterManyThatNobodyHasAnyMore_sharesNewOnes() {
        for (int i = 0; i < MOST; i++) {
            grants.share(of("t" + i));
        }
        long beganNanos = System.nanoTime();
        Grant fresh;
        do {
            System.gc();
            fresh = grants.share(of("fresh"));
        } while (fresh != grants.share(of("fresh")) && System.nanoTime() - beganNanos < TimeUnit.SECONDS.toNanos(30));

        assertSame(fresh, grants.share(of("fresh")));
        assertTrue(fresh.groups().contains("g"));
    }
}
