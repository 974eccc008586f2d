package io.heartwheel.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.auth.AuthSettings;
import io.heartwheel.transport.ListenerSettings;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Addresses of listeners while no authentication is configured, and the settings that open them. */
class UnprotectedTest {
    private static final String NEED =
            ": need a loopback address while nobody has said who may come in: for devices elsewhere set auth.mode = shared-token with a token,"
                    + " auth.mode = methods, or auth.mode = none, which believes every device id (gateway.conf:1)";

    @TempDir
    private Path directory;

    @Test
    void load_nothingSaid_listensOnLoopbackOnly() throws Exception {
        GatewaySettings settings = load("");

        assertEquals(List.of("127.0.0.1:7070", "127.0.0.1:7080"), binds(settings));
        assertEquals(List.of(), settings.unprotected());
        assertEquals(AuthSettings.of(AuthSettings.Mode.UNSET, new byte[0]), settings.auth());
    }

    @Test
    void load_authSaid_listensOnEveryAddress() throws Exception {
        for (String auth : List.of("mode = none", "mode = shared-token, token = \"12345678\"")) {
            assertEquals(List.of("0.0.0.0:7070", "0.0.0.0:7080"), binds(load("auth { " + auth + " }")));
        }
    }

    @Test
    void load_modeNone_namesWhoIsOpenToAll() throws Exception {
        GatewaySettings settings = load("auth.mode = none, listeners { a.bind = \"[::1]:1\", b.bind = \":2\" }");

        assertEquals(
                List.of("b"),
                settings.unprotected().stream().map(ListenerSettings::name).toList());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "127.0.0.1:1",
                "127.9.8.7:1",
                "[::1]:1",
                "[0:0:0:0:0:0:0:1]:1",
                "localhost:1",
                "LocalHost:1",
                ":1"
            })
    void load_loopbackAddress_needsNoAuth(String bind) throws Exception {
        assertEquals(1, load("listeners.a.bind = \"" + bind + "\"").listeners().size());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"0.0.0.0:1", "[::]:1", "10.0.0.1:1", "gateway.example:1", "127.example:1", "[::ffff:10.0.0.1]:1"
            })
    void load_addressBeyondLoopback_needsAuthSaid(String bind) throws Exception {
        String listener = "listeners.a.bind = \"" + bind + "\"";

        assertEquals(List.of("heartwheel.listeners.a.bind = " + bind + NEED), problems(listener));
        assertEquals(1, load(listener + ", auth.mode = none").unprotected().size());
        GatewaySettings withToken = load(listener + ", auth { mode = shared-token, token = \"12345678\" }");
        assertEquals(List.of(), withToken.unprotected());
        GatewaySettings off = load(listener + ", listeners.a.enabled = false, listeners.b.bind = \":2\"");
        assertEquals(1, off.listeners().size());
    }

    @Test
    void load_clientCertificatesRequired_areAuthEnough() throws Exception {
        Path pem = Files.writeString(directory.resolve("pem"), "x");
        String tls =
                "tls { enabled = on, certificate-file = ${p}, key-file = ${p}, client-ca-file = ${p}, client-auth = "
                        .replace("${p}", "\"" + pem + "\"");

        GatewaySettings required =
                load("listeners { a { bind = \"0.0.0.0:1\", " + tls + "required } }, b.bind = \":2\" }");
        assertEquals(List.of("0.0.0.0:1", "127.0.0.1:2"), binds(required));
        assertEquals(
                1,
                problems("listeners { a { bind = \"0.0.0.0:1\", " + tls + "optional } } }")
                        .size());
    }

    @Test
    void load_admin_keepsItsAddress() throws Exception {
        assertEquals(
                List.of(
                        "heartwheel.admin.bind = :1: need host:port, port 0..65535, an IPv6 address in brackets (gateway.conf:1)"),
                problems("admin.bind = \":1\""));
    }

    @Test
    void load_tokenWithoutItsMode_isAMistake() throws Exception {
        for (String mode : List.of("none", "unset")) {
            for (String token : List.of("token", "token-file")) {
                String said = ": need shared-token where " + token + " is set, or no token (gateway.conf:1)";
                assertEquals(
                        List.of("heartwheel.auth.mode = " + mode + said),
                        problems("auth { mode = " + mode + ", " + token + " = \"12345678\" }"));
            }
        }
    }

    @Test
    void reload_authSaidOnlyNow_opensWithTheNextStart() throws Exception {
        ReloadPlan plan = ReloadPlan.of(read(""), read("auth.mode = none"));

        assertEquals(List.of("auth.mode = none (was unset)"), plan.taken());
        assertEquals(
                List.of(
                        "listeners.tcp.bind = 0.0.0.0:7070 (in force: 127.0.0.1:7070)",
                        "listeners.websocket.bind = 0.0.0.0:7080 (in force: 127.0.0.1:7080)"),
                plan.waiting());
    }

    @Test
    void reload_authLeftOut_doesNotLeaveAnOpenListener() throws Exception {
        LoadedConfig open = read("auth { mode = shared-token, token = \"12345678\" }");
        LoadedConfig unset = read("");

        IllegalArgumentException refusal =
                assertThrows(IllegalArgumentException.class, () -> ReloadPlan.of(open, unset));
        assertEquals(
                "auth.mode = unset: need shared-token, methods or none, listeners.tcp is open to others than this machine (0.0.0.0:7070)",
                refusal.getMessage());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "include \"no.conf\"",
                "include \"no\"",
                "include file(\"no.conf\")",
                "include url(\"file:/nowhere/no.conf\")",
                "include classpath(\"no.conf\")",
                "include \"there.conf\""
            })
    void load_missingInclude_isAMistake(String include) throws Exception {
        Files.writeString(directory.resolve("there.conf"), "include \"no.conf\"");
        Path file = Loading.file(directory, include + "\n");

        List<String> problems = Loading.problems(() -> ConfigLoader.read(file, Map.of(), Map.of()));

        assertEquals(1, problems.size());
        String told = problems.get(0);
        assertTrue(told.startsWith(file + ": include "), told);
        assertTrue(told.matches(".*\\bno(\\.conf)?: need a file that exists and can be read"), told);
    }

    private static List<String> binds(GatewaySettings settings) {
        return settings.listeners().stream()
                .map(listener -> listener.bind().toString())
                .toList();
    }

    private GatewaySettings load(String text) throws Exception {
        return read(text).settings();
    }

    private LoadedConfig read(String text) throws Exception {
        Path file = Loading.file(directory, "heartwheel { " + text + " }");
        return ConfigLoader.read(file, Map.of(), Map.of());
    }

    private List<String> problems(String text) {
        return Loading.problems(() -> read(text));
    }
}
