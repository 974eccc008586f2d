package io.heartwheel.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class RequestTargetTest {
    @Test
    void parse_path_isSplitBeforeItIsDecoded() {
        assertEquals(
                List.of("a", "b/c", ".."),
                RequestTarget.parse("/a/b%2fc/%2E.", false).segments());
        assertEquals(List.of(""), RequestTarget.parse("/", false).segments());
        assertEquals(List.of("a", "", ""), RequestTarget.parse("/a//", false).segments());
        assertEquals(List.of("ü+"), RequestTarget.parse("/%C3%BC+", false).segments());
    }

    @Test
    void parse_absoluteForm_losesItsAuthority() {
        assertEquals(
                List.of("metrics"),
                RequestTarget.parse("http://gw.example:7090/metrics", false).segments());
        assertEquals(
                List.of(""), RequestTarget.parse("HTTP://gw.example", false).segments());
    }

    @Test
    void parse_query_isDecodedWithPlusAsSpace() {
        Map<String, String> query =
                RequestTarget.parse("/?a=1&b=x+y%2B%26&c&d=", false).parameters();
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
            HttpError refusal = assertThrows(HttpError.class, () -> taken(bad), bad);
            assertEquals(400, refusal.status());
        }
    }

    private static RequestTarget taken(String raw) {
        RequestTarget target = RequestTarget.parse(raw, false);
        target.segments();
        target.parameters();
        return target;
    }

    @Test
    void parse_absoluteForm_takesHttpsWhereConnectionsAreSecured() {
        RequestTarget target = RequestTarget.parse("https://[::1]:7443/ws?device=a%2Fb", true);
        assertEquals(new RequestTarget("[::1]:7443", "/ws", "device=a%2Fb"), target);
        assertEquals("a%2Fb", target.parameter("device"));
        assertNull(target.parameter("dev"));
    }

    @Test
    void parse_absoluteFormWithoutAPath_isTheRoot() {
        assertEquals(new RequestTarget("gw", "/", ""), RequestTarget.parse("http://gw", true));
        assertEquals(new RequestTarget("gw:1", "/", "a=/b"), RequestTarget.parse("http://gw:1?a=/b", true));
    }

    @Test
    void parse_authorityMalformed_isRefused() {
        for (String bad : List.of("http:///x", "http://a@b/x", "http://a:b/x", "http://[::1/x", "http://a:123456/x")) {
            assertThrows(HttpError.class, () -> RequestTarget.parse(bad, true), bad);
        }
    }

    @Test
    void parameter_once_isItsValueStillEncoded() {
        RequestTarget target = RequestTarget.parse("/?x=1&x=2&token=a+%20&e&f=", true);
        assertEquals("a+%20", target.parameter("token"));
        assertEquals("", target.parameter("e"));
        assertEquals("", target.parameter("f"));
        assertThrows(HttpError.class, () -> target.parameter("x"));
    }

    @Test
    void host_ofAnAuthority_isWithoutItsPort() {
        assertEquals("gw.example", RequestTarget.host("gw.example:7090"));
        assertEquals("[::1]", RequestTarget.host("[::1]:1"));
        assertNull(RequestTarget.host("gw.example/x"));
        assertNull(RequestTarget.host(""));
    }
}
