package io.heartwheel.transport.tls;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Certificates by host name. */
class HostNamesTest {
    @ParameterizedTest
    @CsvSource({
        "a.example,exact",
        "A.Example,exact",
        "x.a.example,other",
        "x.b.example,wild",
        "X.B.EXAMPLE,wild",
        "own.b.example,own",
        "b.example,other",
        "y.x.b.example,other",
        "'',other",
        "..,other",
        "*.b.example,wild",
        "a.example.,other"
    })
    void find_host_isTheMostExact(String host, String expected) {
        HostNames names = new HostNames();
        names.add(List.of("a.example"), "exact");
        names.add(List.of("*.b.example"), "wild");
        names.add(List.of("own.b.example", "a.example"), "own");

        assertEquals(expected, names.find(host, "other"));
    }

    @ParameterizedTest
    @CsvSource({
        "a,true",
        "a.example,true",
        "*.a.example,true",
        "*.example,true",
        "xn--bcher-kva.example,true",
        "*,false",
        "a.*.example,false",
        "*a.example,false",
        "A.example,false",
        "a_b.example,false",
        "-a.example,false",
        "a.example.,false",
        "'',false",
        "a b,false"
    })
    void isPattern_text_isAHostOrOneLabelOpen(String text, boolean expected) {
        assertEquals(expected, HostNames.isPattern(text));
    }
}
