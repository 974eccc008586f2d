package io.heartwheel.nats;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class NatsKeyTest {
    /** Seed and public key of a user, from a public example of NATS. */
    static final String SEED = "SUACSSL3UAHUDXKFSNVUZRF5UHPMWZ6BFDTJ7M6USDXIEDNPPQYYYCU3VY";

    static final String PUBLIC = "UDXU4RCSJNZOIQHZNWXHXORDPRTGNJAHAHFRGZNEEJCPQTT2M7NLCNF4";

    @TempDir
    Path directory;

    @Test
    void seed_ofAUser_givesItsPublicKey() throws Exception {
        NatsKey key = NatsKey.open(Files.writeString(directory.resolve("key"), SEED + "\n"));
        assertEquals(PUBLIC, new String(key.getID()));
        assertEquals(64, key.sign("nonce".getBytes(StandardCharsets.US_ASCII)).length);
    }

    @Test
    void file_ofTwoBlocks_hasJwtAndKey() throws Exception {
        NatsKey key = NatsKey.open(Files.writeString(
                directory.resolve("user.creds"),
                "-----BEGIN NATS USER JWT-----\neyJ0.x.y\n------END NATS USER JWT------\n\n"
                        + "-----BEGIN USER NKEY SEED-----\n" + SEED + "\n------END USER NKEY SEED------\n"));
        assertEquals(PUBLIC, new String(key.getID()));
        assertEquals("eyJ0.x.y", new String(key.getJWT()));
    }

    @Test
    void file_thatIsNotThere_isToldWithWhatIsWrong() {
        Path missing = directory.resolve("missing");
        assertEquals(
                missing + ": it cannot be read",
                assertThrows(IOException.class, () -> NatsKey.open(missing)).getMessage());
    }

    @Test
    void file_thatHoldsNone_isNotShown() throws Exception {
        for (String text : new String[] {"", "secret", PUBLIC, SEED.substring(0, 57) + "A", "SO" + SEED.substring(2)}) {
            Path file = Files.writeString(directory.resolve("bad"), text);
            String told = String.valueOf(
                    assertThrows(IOException.class, () -> NatsKey.open(file)).getMessage());
            assertTrue(told.endsWith("need the seed of a user's NKey, SU..., as the first line or in its block"), told);
            assertFalse(!text.isEmpty() && told.contains(text), told);
        }
    }
}
