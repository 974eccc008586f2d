package io.heartwheel.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.auth.AuthSettings;
import io.heartwheel.auth.AuthSettings.Failures;
import io.heartwheel.auth.AuthSettings.Watch;
import io.heartwheel.net.Networks;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AuthRulesTest {
    @TempDir
    private Path directory;

    private GatewaySettings read(String auth) throws Exception {
        return Loading.block(directory, "heartwheel.auth", auth).settings();
    }

    private List<String> problems(String auth) {
        return Loading.problems(() -> read(auth));
    }

    @Test
    void load_defaults_areThoseOfTheRecords() throws Exception {
        assertEquals(AuthSettings.of(AuthSettings.Mode.UNSET, new byte[0]), read("").auth());
    }

    @Test
    void load_everyValue_reachesItsPlace() throws Exception {
        AuthSettings auth =
                read("refused = later, warn-before = 5m, workers = 3, watch { enabled = false, period = 2s }, failures {"
                                + " enabled = false, burst = 3, per-minute = 4, exempt = [\"10.0.0.0/8\"], tracked = 2048 }")
                        .auth();

        assertEquals(AuthSettings.Refused.LATER, auth.refused());
        assertEquals(Duration.ofMinutes(5), auth.warnBefore());
        assertEquals(new Failures(false, 3, 4, Networks.parse(List.of("10.0.0.0/8")), 2_048), auth.failures());
        assertEquals(3, auth.workers());
        assertEquals(new Watch(false, Duration.ofSeconds(2)), auth.watch());
    }

    @Test
    void load_modeMethodsWithoutAny_isAMistake() {
        assertEquals(
                List.of("heartwheel.auth.mode = methods: need at least one of certificate, jwt, tokens, http in methods"
                        + " (gateway.conf:2)"),
                problems("mode = methods"));
    }

    @Test
    void load_methodsWithoutTheirMode_isAMistake() {
        for (String mode : List.of("unset", "none")) {
            List<String> problems = problems("mode = " + mode + ", methods = [jwt]");
            assertEquals(1, problems.size());
            assertTrue(problems.get(0).contains("auth.methods = "), problems::toString);
            assertTrue(problems.get(0).contains("need [] without mode = methods"), problems::toString);
        }
    }

    @Test
    void load_methodTwice_isAMistake() {
        List<String> problems = problems("mode = methods, methods = [jwt, tokens, jwt]");
        assertEquals(1, problems.size());
        assertTrue(problems.get(0).contains("need each once"), problems::toString);
    }

    @Test
    void load_unknownMethod_isToldWithThoseThereAre() {
        List<String> problems = problems("mode = methods, methods = [ldap]");
        assertEquals(1, problems.size());
        assertTrue(problems.get(0).contains("need a list of certificate, jwt, tokens, http"), problems::toString);
    }

    @Test
    void load_certificateWithoutAListenerThatAsksForOne_isAMistake() {
        assertTrue(
                problems("mode = methods, methods = [certificate]").stream()
                        .anyMatch(problem -> problem.contains("need a listener with tls.enabled = true")),
                "names the listener");
    }

    @Test
    void load_sharedTokenBesideMethods_isAMistake() {
        assertTrue(problems("mode = methods, methods = [jwt], token = \"12345678\"").stream()
                .anyMatch(problem -> problem.contains("need shared-token where token is set")));
    }
}
