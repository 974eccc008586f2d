package io.heartwheel.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Texts of the policy. */
class SyncPolicyTest {
    @Test
    void parse_eachForm_isUnderstoodAndWrittenBack() {
        assertEquals(SyncPolicy.ALWAYS, SyncPolicy.parse("always"));
        assertEquals(SyncPolicy.NEVER, SyncPolicy.parse(" Never "));
        assertEquals(new SyncPolicy(50), SyncPolicy.parse("every 50ms"));
        assertEquals(new SyncPolicy(1), SyncPolicy.parse("every 1 ms"));
        assertEquals(new SyncPolicy(10_000), SyncPolicy.parse("every 10s"));
        for (SyncPolicy policy : new SyncPolicy[] {SyncPolicy.ALWAYS, SyncPolicy.NEVER, new SyncPolicy(7)}) {
            assertEquals(policy, SyncPolicy.parse(policy.toString()));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "every", "every 0ms", "every 10001ms", "every 11s", "every 1m", "50ms", "sometimes"})
    void parse_anythingElse_saysWhatIsNeeded(String text) {
        IllegalArgumentException refused = assertThrows(IllegalArgumentException.class, () -> SyncPolicy.parse(text));
        assertEquals("need always, never, or every and 1ms..10s, such as every 50ms", refused.getMessage());
    }
}
