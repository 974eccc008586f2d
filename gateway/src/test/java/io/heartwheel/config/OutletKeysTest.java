package io.heartwheel.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.event.EventKind;
import io.heartwheel.nats.NatsServers;
import io.heartwheel.outlet.OutletSettings;
import io.heartwheel.store.SyncPolicy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class OutletKeysTest {
    @TempDir
    Path directory;

    private List<OutletSettings> load(String outlets) throws Exception {
        Path file = Loading.file(directory, "heartwheel.outlets { " + outlets + " }");
        return Loading.load(file).outlets();
    }

    private List<String> problems(String outlets) {
        return Loading.problems(() -> Loading.check(Loading.file(directory, "heartwheel.outlets { " + outlets + " }")))
                .stream()
                .map(problem -> problem.replaceFirst(" \\(gateway.conf:1\\)$", ""))
                .toList();
    }

    private String file(String name, String text) throws Exception {
        return "\"" + Files.writeString(directory.resolve(name), text) + "\"";
    }

    @Test
    void outlets_nothingSaid_isTheConsole() throws Exception {
        assertEquals(
                List.of(new OutletSettings("main", Set.copyOf(EventKind.all()), new OutletSettings.Console())),
                Loading.load(Map.of()).outlets());
    }

    @Test
    void outlets_ofTheOperator_standInsteadAndTakeTheRestFromMain() throws Exception {
        Path out = directory.resolve("out");
        List<OutletSettings> outlets = load("z { kind = console, enabled = false }, a { kind = file, file = \"" + out
                + "\", events = [data, gap], sync = \"every 20ms\" }");
        assertEquals(
                List.of(new OutletSettings(
                        "a",
                        Set.of(EventKind.DATA, EventKind.GAP),
                        new OutletSettings.ToFile(out, 256 << 20, Duration.ZERO, 10, new SyncPolicy(20)))),
                outlets);
    }

    @Test
    void mistakes_all_areToldAtOnce() throws Exception {
        String token = "heartwheel.outlets.";
        assertEquals(
                List.of(
                        token + "Bad: need a name of 1..32 characters of [a-z0-9-]",
                        token
                                + "a.events = [\"dta\"]: need kinds of events, or * for all: connected, data, disconnected, refused,"
                                + " incident, gap, taken-over, suspect, recovered, incarnation, present, snapshot, id-conflict,"
                                + " node-down",
                        token + "a.sync = every day: need always, never, or every and 1ms..10s, such as every 50ms",
                        token + "b.file = \"\": need a file with kind = file (built-in default)",
                        token + "c.url: need a URL with kind = webhook (built-in default)",
                        token
                                + "d.kafka.bootstrap = \"\": need host:port, port 1..65535, several with commas between (built-in default)",
                        token
                                + "d.kafka.topic = \"\": need 1..249 of A-Z a-z 0-9 . _ -, not . or .. (built-in default)",
                        token + "e.kinds: unknown key, did you mean heartwheel.outlets.e.kind?"),
                problems("Bad { kind = console }, a { events = [dta], sync = \"every day\" }, b { kind = file },"
                                + " c { kind = webhook }, d { kind = kafka }, e { kinds = file }")
                        .stream()
                        .sorted()
                        .toList());
    }

    @Test
    void files_ofTwoOutlets_areTwo() throws Exception {
        String same = file("same", "");
        assertEquals(
                List.of("heartwheel.outlets.b.file = " + same.replace("\"", "")
                        + ": need a file of its own, heartwheel.outlets.a.file has it"),
                problems("a { kind = file, file = " + same + " }, b { kind = file, file = " + same + " }"));
    }

    @Test
    void webhook_secretsAndFiles_areLookedAt() throws Exception {
        String shortOne = file("short", "secret\n");
        List<String> problems = problems("a { kind = webhook, url = \"http://h/\", secret-file = " + shortOne
                + ", ca-file = " + shortOne + " }, b { kind = webhook, url = \"http://h/\", old-secret-file = "
                + file("long", "0123456789abcdef") + " }");
        assertEquals(3, problems.size(), problems::toString);
        assertTrue(problems.get(0).endsWith("need a first line of 16..1024 bytes, not of 6"), problems::toString);
        assertTrue(problems.get(1).endsWith("need a url of https with it, or no file"), problems::toString);
        assertTrue(problems.get(2).contains("need the new secret where old-secret-file is set"), problems::toString);
    }

    /** The gateway starts, and the outlet waits for it; a check names it. */
    @Test
    void files_thatAreMissing_areMistakesForACheckAlone() throws Exception {
        String none = "\"" + directory.resolve("none/file") + "\"";
        String outlets = "a { kind = webhook, url = \"https://h/\", secret-file = " + none + ", headers-file = " + none
                + ", ca-file = " + none + " }, b { kind = file, file = " + none
                + " }, c { kind = kafka, kafka { bootstrap ="
                + " \"h:1\", topic = t, properties-file = " + none + " } }";
        assertEquals(3, load(outlets).size());
        List<String> problems = problems(outlets);
        assertEquals(5, problems.size(), problems::toString);
        assertTrue(problems.stream().allMatch(each -> each.contains("/none/file: need a file")), problems::toString);
    }

    @Test
    void webhook_formAndMediaType_areRead() throws Exception {
        OutletSettings.Webhook hook = (OutletSettings.Webhook)
                load("a { kind = webhook, url = \"http://h/\", content-mode = structured, media-type = \"application/json\" }")
                        .get(0)
                        .target();
        assertEquals(OutletSettings.ContentMode.STRUCTURED, hook.form());
        assertEquals("application/json", hook.mediaType());
        assertEquals(
                1,
                problems("a { kind = webhook, url = \"http://h/\", media-type = \"json\" }")
                        .size());
    }

    @Test
    void url_thatIsNone_isRefusedAndNotShown() throws Exception {
        for (String url : List.of(
                "http://user:hunter2@h/",
                "ftp://hunter2/",
                "hunter2",
                "http://h/#hunter2",
                "http:///hunter2",
                "http://h:0/hunter2")) {
            List<String> problems = problems("a { kind = webhook, url = \"" + url + "\" }");
            assertEquals(
                    List.of(
                            "heartwheel.outlets.a.url: need http://host/path or https://host/path, without user and password"),
                    problems,
                    url);
        }
    }

    @Test
    void url_changed_isNotShownByAReload() throws Exception {
        Path file = directory.resolve("gateway.conf");
        String outlets = "heartwheel.outlets.a { kind = webhook, url = \"http://h/?key=%s\" }";
        LoadedConfig before =
                ConfigLoader.read(Files.writeString(file, outlets.formatted("hunter1")), Map.of(), Map.of());
        LoadedConfig after =
                ConfigLoader.read(Files.writeString(file, outlets.formatted("hunter2")), Map.of(), Map.of());
        ReloadPlan plan = ReloadPlan.of(before, after);
        assertEquals(List.of("outlets.a.url = *** (in force: ***)"), plan.waiting());
        assertFalse(after.settings().toString().contains("hunter"));
    }

    @Test
    void nats_nothingSaid_isTheServerHere() throws Exception {
        assertEquals(
                new OutletSettings.Nats(
                        new NatsServers(List.of("nats://127.0.0.1:4222"), null, null, null, null),
                        "heartwheel.events.{kind}.{hash}",
                        Duration.ofSeconds(10)),
                load("a { kind = nats }").get(0).target());
    }

    @Test
    void nats_mistakes_areAllTold() throws Exception {
        String none = file("none.pem", "nothing");
        String named = none.replace("\"", "");
        String token = "heartwheel.outlets.";
        assertEquals(
                List.of(
                                token + "a.nats.credentials-file = " + named
                                        + ": need the seed of a user's NKey, SU..., as the first line or in its block",
                                token
                                        + "a.nats.key-file = \"\": need certificate-file and key-file, or neither (built-in default)",
                                token + "a.nats.ca-file = " + named
                                        + ": need certificates in PEM: there is no CERTIFICATE block in it",
                                token + "a.nats.certificate-file = " + named + ": there is no CERTIFICATE block in it",
                                token + "b.nats.servers = [\"nats://h:1\",\"tls://h:2\"]"
                                        + ": need nats:// for all of them, or tls:// for all of them",
                                token
                                        + "b.nats.subject = a b: need 1..128 characters: tokens of [A-Za-z0-9_-], {kind}, {hash},"
                                        + " {device}, dots between them",
                                token + "c.nats.servers = [\"h:1\"]: need 1..16 of nats://host:port or tls://host:port",
                                token + "d.nats.servers = []: need at least one with kind = nats")
                        .stream()
                        .sorted()
                        .toList(),
                problems("a { kind = nats, nats { servers = [\"tls://h:1\"], credentials-file = " + none
                                + ", ca-file = " + none + ", certificate-file = " + none + " } },"
                                + " b { kind = nats, nats { servers = [\"nats://h:1\", \"tls://h:2\"], subject = \"a b\" } },"
                                + " c { kind = nats, nats { servers = [\"h:1\"] } },"
                                + " d { kind = nats, nats.servers = [] }")
                        .stream()
                        .sorted()
                        .toList());
        assertEquals(
                List.of(token + "a.nats.ca-file = " + named + ": need servers of tls:// with it, or no file"),
                problems("a { kind = nats, nats.ca-file = " + none + " }").stream()
                        .filter(each -> each.contains("tls://"))
                        .toList());
    }

    @Test
    void outlets_tooMany_areRefused() throws Exception {
        StringBuilder many = new StringBuilder();
        for (int i = 0; i < 17; i++) {
            many.append("o").append(i).append(" { kind = console }\n");
        }
        assertEquals(List.of("heartwheel.outlets: need at most 16, not 17"), problems(many.toString()));
    }

    /** The example of the documentation, with files that are here. */
    @Test
    void example_ofTheDocument_isGood() throws Exception {
        String page = Files.readString(Path.of("docs/outlets.md"));
        Matcher example =
                Pattern.compile("(?s)```\n(heartwheel\\.outlets.*?)```").matcher(page);
        assertTrue(example.find());
        Files.writeString(directory.resolve("webhook.secret"), "0123456789abcdef\n");
        Path file = Files.writeString(
                directory.resolve("gateway.conf"),
                example.group(1).replace("webhook.secret", directory + "/webhook.secret"));
        List<OutletSettings> outlets = Loading.load(file).outlets();
        assertEquals(
                List.of("bus", "hook", "log"),
                outlets.stream().map(OutletSettings::name).toList());
        assertEquals(6, outlets.get(1).events().size());
    }
}
