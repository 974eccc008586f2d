package io.heartwheel.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.admin.AdminSettings;
import io.heartwheel.admin.Scope;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Keys of the operator's listeners, and the rules between them. */
class AdminKeysTest {
    private static final String HASH = "sha256:" + "0".repeat(32) + ":" + "0".repeat(64);

    @TempDir
    Path directory;

    private Path tokens;

    @BeforeEach
    void write() throws Exception {
        tokens = Files.writeString(directory.resolve("tokens"), "ops read " + HASH + "\n");
    }

    private LoadedConfig load(String lines) throws Exception {
        return Loading.block(directory, "heartwheel.admin", lines);
    }

    private List<String> problems(String lines) {
        return Loading.problems(() -> load(lines));
    }

    @Test
    void load_nothing_isOnLoopbackAndAsksNobody() throws Exception {
        AdminSettings admin = load("").settings().admin();

        assertTrue(admin.asksNobody());
        assertNull(admin.tls());
        assertEquals(Set.of(Scope.READ), admin.clientScopes());
        assertFalse(admin.monitor().enabled());
        assertTrue(admin.monitor().bind().isLoopback());
    }

    @Test
    void load_beyondLoopback_needsTokensOrCertificates() throws Exception {
        assertEquals(
                List.of("heartwheel.admin.bind = 0.0.0.0:7090: " + AdminSettings.NEED_CALLERS + " (gateway.conf:2)"),
                problems("bind = \"0.0.0.0:7090\""));
        assertEquals(
                List.of("heartwheel.admin.bind = 0.0.0.0:7090: " + AdminSettings.NEED_CALLERS + " (gateway.conf:2)"),
                problems("bind = \"0.0.0.0:7090\"\ntls.client-auth = required"));
        assertEquals(
                tokens,
                load("bind = \"0.0.0.0:7090\"\ntokens-file = \"" + tokens + "\"")
                        .settings()
                        .admin()
                        .tokensFile());
        load("enabled = false\nbind = \"0.0.0.0:7090\"");
        load("monitor { enabled = true, bind = \"0.0.0.0:9464\" }");
    }

    @Test
    void load_badTokens_tellsEachLineAndEverythingElse() throws Exception {
        Files.writeString(tokens, "ops read\nci write " + HASH + "\n");

        assertEquals(
                List.of(
                        "heartwheel.admin.tokens-file = " + tokens
                                + ": line 1: need NAME SCOPES HASH, or a second HASH behind it (gateway.conf:2)",
                        "heartwheel.admin.tokens-file = " + tokens
                                + ": line 2: need some of read, send, operate with commas between (gateway.conf:2)",
                        "heartwheel.admin.max-body = 1B: need 1KiB..16MiB (gateway.conf:3)"),
                problems("tokens-file = \"" + tokens + "\"\nmax-body = 1B"));
        assertEquals(
                List.of("heartwheel.admin.tokens-file = /no/such: need a file that exists and can be read"
                        + " (gateway.conf:2)"),
                problems("tokens-file = /no/such"));
    }

    @Test
    void load_monitorOnTheAddressOfAnother_isAMistake() {
        assertEquals(
                List.of("heartwheel.admin.monitor.bind = 127.0.0.1:7090: need an address of its own,"
                        + " heartwheel.admin.bind has it (gateway.conf:2)"),
                problems("monitor { enabled = true, bind = \"127.0.0.1:7090\" }"));
    }

    @Test
    void load_tlsWithoutFiles_isAMistakeOfEach() {
        assertEquals(
                List.of(
                        "heartwheel.admin.tls.certificate-file = \"\": need a file (built-in default)",
                        "heartwheel.admin.tls.key-file = \"\": need a file (built-in default)",
                        "heartwheel.admin.monitor.tls.certificate-file = \"\": need a file (built-in default)",
                        "heartwheel.admin.monitor.tls.key-file = \"\": need a file (built-in default)"),
                problems("tls.enabled = true\nmonitor { enabled = true, tls.enabled = true }"));
    }

    /** Only a part of this could change at a reload, and that part would be open to all. */
    @Test
    void plan_tokensGoWithTheAddressBeyondLoopback_isRefused() throws Exception {
        LoadedConfig open = load("bind = \"0.0.0.0:7090\"\ntokens-file = \"" + tokens + "\"");
        LoadedConfig local = load("");

        IllegalArgumentException refusal =
                assertThrows(IllegalArgumentException.class, () -> ReloadPlan.of(open, local));
        assertEquals("admin.bind = 0.0.0.0:7090: " + AdminSettings.NEED_CALLERS, refusal.getMessage());
    }
}
