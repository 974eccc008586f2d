package io.heartwheel.session;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.heartwheel.auth.AuthRequest;
import io.heartwheel.auth.AuthResult;
import io.heartwheel.auth.Authenticator;
import io.heartwheel.auth.Grant;
import io.heartwheel.liveness.LivenessSettings;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Devices by the groups of their grants; the token is the groups. */
class GroupIndexTest {
    private final Authenticator grants = new Authenticator() {
        @Override
        public String name() {
            return "grants";
        }

        @Override
        public void authenticate(AuthRequest request, Consumer<AuthResult> answer) {
            List<String> groups = List.of(new String(request.token(), StandardCharsets.UTF_8).split(","));
            answer.accept(new AuthResult.Admitted(new Grant(0, 0, "", groups, Map.of()), AuthResult.Admitted.NEVER));
        }
    };
    private final VirtualGateway gateway =
            new VirtualGateway(0, LivenessSettings.defaults(), new AuthPolicy(grants, cause -> false, 0));
    private long lastSession;

    private FakeSession connect(String id, String groups) {
        return new FakeSession(gateway.sessionContext).accept(++lastSession).helloWith(id, groups, 0);
    }

    private Set<String> ids(String group) {
        return gateway.registry.idsOf(group).stream()
                .map(id -> new String(id, StandardCharsets.UTF_8))
                .collect(Collectors.toSet());
    }

    @Test
    void session_comesAndGoes_isInItsGroupsMeanwhile() {
        FakeSession a = connect("a", "x,y");
        FakeSession b = connect("b", "y");
        assertEquals(Set.of("a"), ids("x"));
        assertEquals(Set.of("a", "b"), ids("y"));
        a.hangUp();
        assertEquals(Set.of(), ids("x"));
        assertEquals(Set.of("b"), ids("y"));
        b.hangUp();
        assertEquals(Set.of(), ids("y"));
    }

    @Test
    void session_renewed_changesItsGroups() {
        FakeSession a = connect("a", "x,y");
        a.auth("y,z");
        assertEquals(Set.of(), ids("x"));
        assertEquals(Set.of("a"), ids("y"));
        assertEquals(Set.of("a"), ids("z"));
    }

    @Test
    void session_takenOver_isNeverMissing() {
        FakeSession old = new FakeSession(gateway.sessionContext, "heartwheel", "192.0.2.1:1", task -> {
            task.run(); // the loop of the old one is the first to go on
            assertEquals(Set.of("a"), ids("x"), "after each task of the old one");
        });
        old.accept(++lastSession).helloWith("a", "x", 0);
        FakeSession fresh = connect("a", "x");
        assertEquals(1, old.closeFrames.size());
        assertEquals(1, gateway.registry.idsOf("x").size());
        fresh.hangUp();
        assertEquals(Set.of(), ids("x"));
    }
}
