package io.reactivetransfer.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.xpath.XPath;
import javax.xml.xpath.XPathConstants;
import javax.xml.xpath.XPathFactory;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Document;
import org.w3c.dom.NodeList;

/** What is published together is named together. */
class PublishedTest {

  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
  private static final XPath XPATH = XPathFactory.newInstance().newXPath();

  @Test
  void theBomNamesEveryArtifactThatIsPublished() throws Exception {
    Document bom = pom("reactive-transfer/bom");
    Set<String> published = new TreeSet<>();
    NodeList modules = nodes(pom("."), "/project/modules/module");
    for (int i = 0; i < modules.getLength(); i++) {
      Document module = pom(modules.item(i).getTextContent());
      boolean jar = !text(module, "/project/packaging").equals("pom");
      if (jar && !text(module, "/project/properties/maven.deploy.skip").equals("true")) {
        published.add(text(module, "/project/artifactId"));
      }
    }
    NodeList named = nodes(bom, "/project/dependencyManagement/dependencies/dependency/artifactId");
    Set<String> inBom = new TreeSet<>();
    for (int i = 0; i < named.getLength(); i++) {
      inBom.add(named.item(i).getTextContent());
    }
    assertThat(inBom).isEqualTo(published).contains("reactive-transfer");
    assertThat(text(bom, "/project/version")).isEqualTo(text(pom("."), "/project/version"));
  }

  private static Document pom(String module) throws Exception {
    File file = ROOT.resolve(module).resolve("pom.xml").toFile();
    return DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(file);
  }

  private static String text(Document pom, String path) throws Exception {
    return XPATH.evaluate(path, pom);
  }

  private static NodeList nodes(Document pom, String path) throws Exception {
    return (NodeList) XPATH.evaluate(path, pom, XPathConstants.NODESET);
  }
}
