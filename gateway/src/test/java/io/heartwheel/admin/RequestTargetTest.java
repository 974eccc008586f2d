package io.heartwheel.admin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class RequestTargetTest {
    @Test
    void parse_path_isSplitBeforeItIsDecoded() {
        assertEquals(
                List.of("a", "b/c", ".."), RequestTarget.parse("/a/b%2fc/%2E.").segments());
        assertEquals(List.of(""), RequestTarget.parse("/").segments());
        assertEquals(List.of("a", "", ""), RequestTarget.parse("/a//").segments());
        assertEquals(List.of("ü+"), RequestTarget.parse("/%C3%BC+").segments());
    }

    @Test
    void parse_absoluteForm_losesItsAuthority() {
        assertEquals(
                List.of("metrics"),
                RequestTarget.parse("http://gw.example:7090/metrics").segments());
        assertEquals(List.of(""), RequestTarget.parse("HTTP://gw.example").segments());
    }

    @Test
    void parse_query_isDecodedWithPlusAsSpace() {
        Map<String, String> query =
                RequestTarget.parse("/?a=1&b=x+y%2B%26&c&d=").query();
        assertEquals(Map.of("a", "1", "b", "x y+&", "c", "", "d", ""), query);
    }

    @Test
    void parse_malformed_isRefused() {
        for (String bad : List.of(
                "",
                "*",
                "metrics",
                "gw.example:443",
                "https://gw.example/",
                "/a#b",
                "/a b",
                "/a\u0000",
                "/\u00fc",
                "/%",
                "/%4",
                "/%zz",
                "/%-1",
                "/%C3",
                "/%C0%AE%C0%AE",
                "/%ED%A0%80",
                "/?a=%FF",
                "/?%=1",
                "/?a=1&a=2",
                "/?a=1&%61=2")) {
            HttpError refusal = assertThrows(HttpError.class, () -> RequestTarget.parse(bad), bad);
            assertEquals(400, refusal.answer().status().code());
        }
    }
}
