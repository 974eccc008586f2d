package io.heartwheel;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.junit.jupiter.api.Assertions.assertEquals;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaMethod;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Rules of the house that a class file shows. */
class HabitsTest {
    private static final JavaClasses ALL = new ClassFileImporter().importPackages("io.heartwheel");

    private static final JavaClasses MAIN = new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages("io.heartwheel");

    @Test
    void name_anyClass_saysWhatItIs() {
        noClasses()
                .should()
                .haveSimpleNameEndingWith("Manager")
                .orShould()
                .haveSimpleNameEndingWith("Helper")
                .orShould()
                .haveSimpleNameEndingWith("Util")
                .orShould()
                .haveSimpleNameEndingWith("Utils")
                .orShould()
                .haveSimpleNameEndingWith("Impl")
                .check(ALL);
    }

    @Test
    void class_notMadeForHeirs_isFinal() {
        classes()
                .that(describe("are concrete, not sealed, and neither have nor await heirs", HabitsTest::mustBeFinal))
                .should()
                .haveModifier(JavaModifier.FINAL)
                .allowEmptyShould(true)
                .check(MAIN);
    }

    @Test
    void interopTest_name_agreesWithItsTag() {
        for (JavaClass test : ALL) {
            if (test.isTopLevelClass()) {
                boolean tagged = test.isAnnotatedWith(Tag.class)
                        && test.getAnnotationOfType(Tag.class).value().equals("interop");
                assertEquals(test.getSimpleName().endsWith("InteropTest"), tagged, test::getName);
            }
        }
    }

    private static boolean mustBeFinal(JavaClass type) {
        boolean plain = !type.isInterface() && !type.isEnum() && !type.isAnonymousClass() && !type.isLocalClass();
        return plain
                && !type.getSimpleName().equals("package-info")
                && !type.getModifiers().contains(JavaModifier.ABSTRACT)
                && !type.getModifiers().contains(JavaModifier.SYNTHETIC)
                && !type.reflect().isSealed()
                && type.getSubclasses().isEmpty()
                && type.getMethods().stream().noneMatch(HabitsTest::isForHeirs);
    }

    private static boolean isForHeirs(JavaMethod method) {
        return method.getModifiers().contains(JavaModifier.PROTECTED)
                && !method.getModifiers().contains(JavaModifier.FINAL);
    }
}
