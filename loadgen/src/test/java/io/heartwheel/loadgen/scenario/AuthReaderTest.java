package io.heartwheel.loadgen.scenario;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.loadgen.client.Credentials.Habit;
import org.junit.jupiter.api.Test;

final class AuthReaderTest {

    private static final String TARGET = "targets = [{ protocol = tcp, address = \"127.0.0.1:1\" }]\nduration = 60s\n";

    private static Auth read(String auth) {
        return ScenarioReader.read(TARGET + "auth { " + auth + " }", "test").auth();
    }

    private static void assertMistake(String auth, String told) {
        String message = assertThrows(IllegalArgumentException.class, () -> read(auth), auth)
                .getMessage();
        assertTrue(message.contains(told), message);
    }

    @Test
    void read_kindAlone_hasTheDefaults() {
        Auth auth = read("kind = jwt");
        assertEquals(Auth.Algorithm.ES256, auth.jwt().algorithm());
        assertEquals(60_000_000_000L, auth.warnBeforeNanos());
        assertEquals(Habit.RENEW, auth.habit(0.99));
        assertEquals(0, auth.service().signing(Long.MAX_VALUE));
    }

    @Test
    void read_noneOrNothing_isNoCredentials() {
        assertNull(read("kind = none, jwt.lifetime = 5s"));
        assertNull(ScenarioReader.read(TARGET, "test").auth());
    }

    @Test
    void read_contradictions_areToldAtOnce() {
        assertMistake("kind = password", "auth.kind = password: need certificate, http, jwt, none, tokens");
        assertMistake(
                "kind = jwt, service { rotate-every = 10s, plan = [{ at = 8s, for = 5s, answer = down }] }",
                "need times in which no key is new");
        assertMistake("kind = tokens, devices.wrong = 1, wrong = [expired]", "need kind = jwt");
        assertMistake("kind = certificate", "need targets with +tls alone");
        assertMistake("kind = jwt, wrong = [odd]", "auth.wrong = odd: need a list of forged");
        assertMistake("kind = jwt, devices { renew = 0 }", "need a weight over 0");
        assertMistake("kind = jwt, service.bind = nowhere", "auth.service.bind = nowhere");
    }

    @Test
    void signing_rotatedKeys_areUsedALittleAfterTheyAreTold() {
        Auth.Service keys = read("kind = jwt, service.rotate-every = 10s").service();
        assertEquals(1, keys.newest(10_000_000_000L));
        assertEquals(0, keys.signing(10_400_000_000L));
        assertEquals(1, keys.signing(10_500_000_000L));
        assertEquals(0, keys.newest(-5));
    }
}
