package io.reactivetransfer.ffm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.reactivetransfer.spi.BackendException;
import io.reactivetransfer.tck.driver.CCompiler;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

@EnabledOnOs(OS.LINUX)
class NativeLibraryTest {

  @TempDir private Path directory;

  @Test
  void givesAddresses() throws IOException, InterruptedException {
    Path path = CCompiler.library(directory, "some", "int answer(void) { return 42; } int word;");
    NativeLibrary library = NativeLibrary.open(path.toString());
    assertThat(library.name()).isEqualTo(path.toString());
    assertThat(library.symbol("answer")).isNotZero().isNotEqualTo(library.symbol("word"));
    assertThat(library.find("answer")).hasValue(library.symbol("answer"));
  }

  @Test
  void isTheSameUnderAnotherName() throws IOException, InterruptedException {
    Path path = CCompiler.library(directory, "one", "int answer(void) { return 42; }");
    Path other = CCompiler.library(directory, "two", "int answer(void) { return 43; }");
    Path link = Files.createSymbolicLink(directory.resolve("link.so"), path);
    NativeLibrary library = NativeLibrary.open(path.toString());
    assertThat(NativeLibrary.open(link.toString()).isSameAs(library)).isTrue();
    assertThat(NativeLibrary.open(other.toString()).isSameAs(library)).isFalse();
  }

  @Test
  void namesASymbolThatIsMissing() throws IOException, InterruptedException {
    Path path = CCompiler.library(directory, "other", "int answer(void) { return 42; }");
    NativeLibrary library = NativeLibrary.open(path.toString());
    assertThat(library.find("question")).isEmpty();
    assertThatExceptionOfType(BackendException.class)
        .isThrownBy(() -> library.symbol("question"))
        .withMessageContaining("expected question in " + path)
        .withMessageContaining("undefined symbol");
  }

  @Test
  void tellsWhatDlerrorSays() throws IOException {
    assertThatExceptionOfType(BackendException.class)
        .isThrownBy(() -> NativeLibrary.open("libnot-there.so.1"))
        .withMessageStartingWith("cannot load libnot-there.so.1: ")
        .withMessageContaining("No such file or directory")
        .withMessageContaining("LD_LIBRARY_PATH");
    Path text = Files.writeString(directory.resolve("text.so"), "no library");
    assertThatExceptionOfType(BackendException.class)
        .isThrownBy(() -> NativeLibrary.open(text.toString()))
        .withMessageContaining(text.toString())
        .withMessageContaining("file too short");
  }

  @Test
  void tellsWhichSymbolALibraryItselfLacks() throws IOException, InterruptedException {
    Path path =
        CCompiler.library(
            directory, "needy", "int elsewhere(void); int answer(void) { return elsewhere(); }");
    assertThatExceptionOfType(BackendException.class)
        .isThrownBy(() -> NativeLibrary.open(path.toString()))
        .withMessageContaining("undefined symbol: elsewhere");
  }
}
