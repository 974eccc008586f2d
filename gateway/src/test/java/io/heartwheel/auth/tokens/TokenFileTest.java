package io.heartwheel.auth.tokens;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.auth.BrokenFile;
import io.heartwheel.auth.Grant;
import io.heartwheel.auth.HashedToken;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Lines that are read, and mistakes that are told. */
class TokenFileTest {
    private static final String HASH = "sha256:" + "0a".repeat(16) + ":" + "1b".repeat(32);

    private static TokenTable read(String text) throws IOException {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        return TokenFile.read(new ByteArrayInputStream(bytes), "file", TokenFile.MOST_BYTES);
    }

    private static List<String> problems(String text) {
        return assertThrows(BrokenFile.class, () -> read(text)).problems();
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static String hash(String token) {
        return HashedToken.of(bytes(token)).toString();
    }

    @Test
    void read_twoHashes_bothTokensAreRight() throws Exception {
        TokenTable table = read("a " + hash("old") + " " + hash("new") + "\nb " + hash("only"));
        long a = table.find(bytes("a"));
        long b = table.find(bytes("b"));
        assertTrue(table.matches(a, bytes("old")));
        assertTrue(table.matches(a, bytes("new")));
        assertFalse(table.matches(a, bytes("only")));
        assertTrue(table.matches(b, bytes("only")));
        assertFalse(table.matches(b, bytes("")));
        assertFalse(table.matches(TokenTable.NONE, bytes("only")));
        assertEquals(TokenTable.NONE, table.find(bytes("c")));
        assertEquals(TokenTable.NONE, table.anyDevice());
        assertEquals(2, table.devices());
    }

    @Test
    void read_commentsEmptyLinesMarkAndReturns_areNoMistake() throws Exception {
        TokenTable table = read("\uFEFFa " + HASH + " # mine\r\n\r\n  # b " + HASH + "\n\t c\t" + HASH + "   \n#");
        assertEquals(2, table.devices());
        assertNotEquals(TokenTable.NONE, table.find(bytes("a")));
        assertNotEquals(TokenTable.NONE, table.find(bytes("c")));
        assertEquals(0, read("").devices());
    }

    @Test
    void read_star_isForAnyDeviceAndItsEscapeIsAnId() throws Exception {
        TokenTable table = read("* " + hash("fleet") + "\n%2A " + hash("own"));
        assertTrue(table.matches(table.anyDevice(), bytes("fleet")));
        assertTrue(table.matches(table.find(bytes("*")), bytes("own")));
        assertEquals(1, table.devices());
    }

    @ParameterizedTest
    @CsvSource({"a b,a%20b", "100%,100%25", "#1,%231", "größe,größe", "*,%2a", "a+b,a+b", "**,**"})
    void written_everyId_isReadAgain(String id, String written) throws Exception {
        assertEquals(
                written.toLowerCase(java.util.Locale.ROOT),
                TokenLine.written(id).toLowerCase(java.util.Locale.ROOT));
        assertNotEquals(
                TokenTable.NONE, read(TokenLine.written(id) + " " + HASH).find(bytes(id)));
    }

    @Test
    void read_idAtItsLongest_isRead() throws Exception {
        String id = "ä".repeat(64);
        assertNotEquals(TokenTable.NONE, read(id + " " + HASH).find(bytes(id)));
    }

    @Test
    void read_grant_isWhatTheWordsSay() throws Exception {
        TokenTable table = read("a " + HASH + " groups=b,a rate-class=slow interval=500ms..2m site=north%20pole n=ä\n"
                + "b " + HASH + "\nc " + HASH + " groups=b,a rate-class=slow interval=500ms..2m site=north%20pole n=ä");
        Grant grant = new Grant(500, 120_000, "slow", List.of("a", "b"), Map.of("site", "north pole", "n", "ä"));
        assertEquals(grant, table.grant(table.find(bytes("a"))));
        assertEquals(Grant.NONE, table.grant(table.find(bytes("b"))));
        assertEquals(grant, table.grant(table.find(bytes("c"))));
    }

    /** They do not fit into what is shared, and stand with their devices. */
    @Test
    void read_moreGrantsThanAreShared_areReadFromTheirLines() throws Exception {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < 66_000; i++) {
            text.append("d")
                    .append(i)
                    .append(' ')
                    .append(HASH)
                    .append(" serial=")
                    .append(i)
                    .append('\n');
        }
        TokenTable table = read(text.toString());
        for (int i : new int[] {0, 65_535, 65_536, 65_999}) {
            long place = table.find(bytes("d" + i));
            assertEquals(Map.of("serial", String.valueOf(i)), table.grant(place).attributes());
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "a|need DEVICE-ID HASH [HASH] [groups=A,B] [rate-class=NAME] [interval=5s..60s] [NAME=VALUE ...], HASH being "
                        + "sha256:SALT:DIGEST with 32 and 64 hexadecimal digits",
                "a sha256:xyz|hash of a token: need sha256:SALT:DIGEST with 32 and 64 hexadecimal digits",
                "a ${h} ${h} ${h}|3 hashes: need at most 2",
                "a ${h} groups|a word behind the hashes: need NAME=VALUE",
                "a ${h} =1|a word behind the hashes: need NAME=VALUE",
                "a ${h} a,b=1|name of an attribute: need 1..64 characters of [A-Za-z0-9._:-] before the =",
                "a ${h} groups=|group: need a name of 1..64 characters of [A-Za-z0-9._:-]",
                "a ${h} groups=a groups=b|groups stands twice: need it once",
                "a ${h} rate-class=|rate-class: need the name of one",
                "a ${h} rate-class=a/b|rate class: need a name of 1..64 characters of [A-Za-z0-9._:-]",
                "a ${h} interval=60s..5s|interval: need LEAST..GREATEST within 100ms..24h, as in 5s..60s",
                "a ${h} interval=5s|interval: need LEAST..GREATEST within 100ms..24h, as in 5s..60s",
                "a ${h} interval=99ms..5s|interval: need LEAST..GREATEST within 100ms..24h, as in 5s..60s",
                "a ${h} interval=1s..25h|interval: need LEAST..GREATEST within 100ms..24h, as in 5s..60s",
                "a ${h} x=%f|x: need UTF-8, and two hexadecimal digits after each percent sign",
                "a%zz ${h}|device id: need UTF-8, and two hexadecimal digits after each percent sign",
                "a%ff ${h}|device id: need UTF-8, and two hexadecimal digits after each percent sign",
                "a#b ${h}|device id: need %23 in place of #",
                "a%0a ${h}|device id: need one without control characters, line separators and bidirectional controls",
                "${l} ${h}|device id of 129 bytes: need 1..128",
            })
    void read_oneMistake_isToldWithItsLineAndWithoutTheHash(String line, String said) {
        String text = line.replace("${h}", HASH).replace("${l}", "x".repeat(129));
        List<String> problems = problems("# first\n" + text + "\nlast " + HASH);
        assertEquals(List.of("file: line 2: " + said), problems);
        assertFalse(problems.get(0).contains("0a0a"));
    }

    @Test
    void read_anIdTwice_isToldByItsName() {
        assertEquals(
                List.of(
                        "file: line 2: device a%20b stands twice: need one line for each",
                        "file: line 4: * stands twice: need one line for it"),
                problems("a%20b " + HASH + "\na%20b " + HASH + "\n* " + HASH + "\n* " + HASH));
    }

    @Test
    void read_manyMistakes_twentyAndHowManyMore() {
        List<String> problems = problems("bad\n".repeat(30));
        assertEquals(21, problems.size());
        assertTrue(problems.get(19).startsWith("file: line 20: "));
        assertEquals("file: and 10 more", problems.get(20));
    }

    @Test
    void read_lineTooLong_isToldOnceAndTheNextIsRead() {
        assertEquals(
                List.of(
                        "file: line 1: need at most 16384 bytes in a line",
                        "file: line 3: hash of a token: need " + HashedToken.NEED),
                problems("x".repeat(200_000) + "\na " + HASH + "\nb sha256:"));
    }

    @Test
    void read_fileTooLarge_isTold() {
        BrokenFile bad = assertThrows(
                BrokenFile.class, () -> TokenFile.read(new ByteArrayInputStream(new byte[101]), "file", 100));
        assertEquals(List.of("file: need at most 100 bytes"), bad.problems());
    }
}
