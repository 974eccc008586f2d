package io.heartwheel.auth;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.auth.AuthSettings.Failures;
import io.heartwheel.auth.AuthSettings.Mode;
import io.heartwheel.auth.AuthSettings.Refused;
import io.heartwheel.auth.AuthSettings.Watch;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class AuthSettingsTest {
    private static final byte[] TOKEN = "hunter2-hunter2".getBytes(StandardCharsets.UTF_8);

    private record Named(String method) implements MethodSettings {
        @Override
        public Authenticator open(AuthContext context) {
            throw new UnsupportedOperationException();
        }
    }

    private static AuthSettings refusing(Refused refused) {
        return new AuthSettings(
                Mode.SHARED_TOKEN,
                TOKEN,
                List.of(),
                refused,
                Duration.ofSeconds(60),
                Failures.DEFAULTS,
                0,
                Watch.DEFAULTS);
    }

    @Test
    void closesLater_everyCause_isTheOperatorsWordButForTooManyFailures() {
        for (AuthCause cause : AuthCause.values()) {
            assertTrue(refusing(Refused.LATER).closesLater(cause));
            assertEquals(
                    cause == AuthCause.TOO_MANY_FAILURES,
                    refusing(Refused.NEVER).closesLater(cause));
        }
    }

    @Test
    void settings_methodsThatDoNotFit_areAMistake() {
        MethodSettings jwt = new Named("jwt");
        assertEquals(
                List.of(jwt),
                AuthSettings.of(Mode.METHODS, new byte[0], List.of(jwt)).methods());
        for (List<MethodSettings> bad : List.<List<MethodSettings>>of(List.of(), List.of(jwt, jwt))) {
            assertThrows(IllegalArgumentException.class, () -> AuthSettings.of(Mode.METHODS, new byte[0], bad));
        }
        assertThrows(IllegalArgumentException.class, () -> AuthSettings.of(Mode.NONE, new byte[0], List.of(jwt)));
        assertThrows(IllegalArgumentException.class, () -> AuthSettings.of(Mode.METHODS, TOKEN, List.of(jwt)));
    }

    @Test
    void toString_withSecret_doesNotShowIt() {
        assertFalse(refusing(Refused.NEVER).toString().contains("hunter2"));
    }

    @Test
    void text_detail_isShortenedAndPrintable() {
        assertEquals("jwt: expired (exp was 12 s ago)", AuthText.of("jwt", AuthCause.EXPIRED, "exp was 12 s ago"));
        assertEquals("unknown device", AuthText.of("", AuthCause.UNKNOWN_DEVICE, ""));
        assertEquals("jwt: issuer (a?b?)", AuthText.of("jwt", AuthCause.ISSUER, "a\nb\u0085"));
        String longest = AuthText.of("jwt", AuthCause.ISSUER, "x".repeat(300));
        assertEquals("jwt: issuer (" + "x".repeat(200) + "...)", longest);
    }
}
