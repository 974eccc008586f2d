package io.heartwheel.loadgen.scenario;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

/** A described protocol: every mistake is told with its key, its value and what is needed. */
final class FramedReaderTest {

    private static final String LINES = "framing.lines = lf, heartbeat { send = \"'PING'\", expect = \"'PONG'\" }";

    private static Scenario read(String description) {
        return ScenarioReader.read(
                "duration = 3m, targets = [{ protocol = framed, address = \"127.0.0.1:1\", framed {\n" + description
                        + "\n} }]",
                "test");
    }

    private static String mistakes(String description) {
        return assertThrows(IllegalArgumentException.class, () -> read(description))
                .getMessage();
    }

    private static void assertTold(String description, String... parts) {
        String told = mistakes(description);
        for (String part : parts) {
            assertTrue(told.contains(part), told);
        }
    }

    @Test
    void description_ofTwoKeys_isEnough() {
        Target target = read(LINES).targets().get(0);
        assertEquals("framed=127.0.0.1:1", target.label());
        assertEquals("fin or rst", target.contract().silent().text());
    }

    @Test
    void framing_wrong_isTold() {
        assertTold(
                "framing {}, heartbeat.send = \"01\"",
                "framed.framing.length: need one of length, delimiter and lines");
        assertTold("framing { lines = lf, delimiter = \"7e\" }, heartbeat.send = \"01\"", "need one of");
        assertTold("framing { lines = cr }, heartbeat.send = \"'a'\"", "framing.lines = cr: need lf or crlf");
        assertTold(
                "framing { delimiter = \"7\" }, heartbeat.send = \"01\"", "framing.delimiter = 7: need bytes in hex");
        assertTold(
                "framing { delimiter = \"7e\", escape { \"7d\" = \"7d01\" } }, heartbeat.send = \"01\"",
                "framing.escape",
                "the delimiter among them");
        assertTold(
                "framing.length { bytes = 5, offset = -1 }, heartbeat.send = \"01\"",
                "framing.length.bytes = 5: need a whole number, 1..4",
                "framing.length.offset = -1: need");
    }

    @Test
    void messages_wrong_areToldAllAtOnce() {
        assertTold(
                """
                framing.lines = lf, frame = "{type} {body}"
                heartbeat { send = "0", expect = "{counter:u9}" }
                hello = [{ send = "{nobody}", expect = "'a" }, { expect = "{any} {any}" }]
                message { send = "{payload}", expect = "00 | 01 | 02" }
                leave = "{x=3}", closed = "{length:text:body}", ignore = ["{xor@x}"], colour = red
                """,
                "heartbeat.send = 0: at \"0\": need bytes in hex",
                "heartbeat.expect = {counter:u9}: {counter:u9}: need a form: u8",
                "hello[0].send = {nobody}: {nobody} is neither a field nor captured",
                "hello[0].expect = 'a: at \"'a\": need its closing '",
                "hello[1].send: need a message",
                "hello[1].expect = {any} {any}: a part without length needs",
                "message.send = {payload}: need {payload:hex}",
                "message.expect = 00 | 01 | 02: need one | at most",
                "leave = {x=3}: {x=3}: only what the server sends can be captured",
                "closed = {length:text:body}: {length} needs a fixed width",
                "ignore = [{xor@x}]: {xor@x:}: need {xor}",
                "framed.colour: unknown key");
    }

    @Test
    void fields_betweenQuotes_areRefusedWithWhatToWrite() {
        assertTold(
                "framing.lines = lf, heartbeat { send = \"'HELLO {id}'\", expect = \"'{counter:text} OK'\" }",
                "heartbeat.send = 'HELLO {id}': at 'HELLO {id}': between quotes {id} is text: need 'HELLO '{id}, or for the"
                        + " text '{' 'id}'",
                "need {counter:text}' OK', or");
        assertTold(
                "framing.lines = lf, heartbeat.send = \"01\", hello = [{ send = \"01\", expect = \"{session=4}\" },"
                        + " { send = \"'for {session}'\" }]",
                "need 'for '{session}, or");
        assertTrue(read("framing.lines = lf, heartbeat.send = \"'{' 'id} {\\\"n\\\":1} {} {none}'\"")
                        .targets()
                        .size()
                == 1);
    }

    @Test
    void form_wrong_tellsEveryForm() {
        assertTold(
                "framing.lines = lf, heartbeat.send = \"{counter:u9}\"",
                "{counter:u9}: need a form: u8, u16, u24, u32, u48 or u64, with le behind it or not, text, text:N, hex,"
                        + " hex:N or bcd:N");
        for (String form : new String[] {"text", "hex", "text:4", "hex:4"}) {
            read("framing.lines = lf, heartbeat.send = \"{counter:" + form + "}\"");
        }
    }

    @Test
    void heartbeat_missing_isTold() {
        assertTold("framing.lines = lf", "framed.heartbeat.send: need a message");
    }

    @Test
    void message_thatTheFramingDoesNotReadAsOne_isTold() {
        assertTold(
                "framing.length { bytes = 2 }, heartbeat.send = \"{length:u16:frame} 01\"",
                "the framing does not read its 3 bytes as one message");
        assertTold("framing.lines = lf, heartbeat.send = \"'a\\\\nb'\"", "the framing does not read");
    }

    @Test
    void id_thatDoesNotFit_isToldForTheLastDevice() {
        assertTold(
                "framing.lines = lf, id = \"9{number:3}\", heartbeat.send = \"{id:bcd:1}\"",
                "targets[0].framed: id = 9999: need at most 2 digits");
        assertTold(
                "framing.lines = lf, heartbeat.send = \"{id:bcd:9}\"", "id = load-999: need digits alone for {id:bcd}");
        assertTold(
                "framing.lines = lf, id = \"{who}\", heartbeat.send = \"01\"",
                "framed.id = {who}: {who} is unknown: need {id}");
    }

    @Test
    void chatty_withoutMessages_isTold() {
        String told = assertThrows(
                        IllegalArgumentException.class,
                        () -> ScenarioReader.read(
                                "duration = 3m, behaviours = [{ kind = chatty }], targets = [{ protocol = framed, address = \"127.0.0.1:1\", framed { "
                                        + LINES + " } }]",
                                "test"))
                .getMessage();
        assertTrue(
                told.contains(
                        "targets[0].protocol = framed: behaviours of kind chatty need one with messages: framed.message"),
                told);
    }

    @Test
    void captures_moreThanMayBe_areTold() {
        StringBuilder many = new StringBuilder();
        for (int i = 0; i < 17; i++) {
            many.append("{v").append(i).append("=1}");
        }
        assertTold(
                LINES + ", hello = [{ send = \"01\", expect = \"" + many + "\" }]", "need at most 16 captured values");
        assertTold(LINES + ", hello = [{ send = \"01\", expect = \"{v=1025}\" }]", "need at most 1024 bytes");
    }
}
