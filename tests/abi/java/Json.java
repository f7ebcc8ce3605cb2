import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Reads the JSON of the vectors: objects, lists, texts, numbers without exponent, true, false and null. */
final class Json {
    private final String text;
    private int at;

    private Json(String text) {
        this.text = text;
    }

    static Object read(String text) {
        Json json = new Json(text);
        Object value = json.value();
        json.blanks();
        if (json.at != text.length()) {
            throw json.wrong("the end");
        }
        return value;
    }

    @SuppressWarnings("unchecked")
    static Map<String, Object> object(Object value) {
        return (Map<String, Object>) value;
    }

    @SuppressWarnings("unchecked")
    static List<Object> list(Object value) {
        return (List<Object>) value;
    }

    /** Writes what was read, for documents inside of vectors. */
    static String write(Object value) {
        if (value instanceof String text) {
            StringBuilder out = new StringBuilder("\"");
            for (char sign : text.toCharArray()) {
                out.append(sign < ' ' || sign == '"' || sign == '\\' ? String.format("\\u%04x", (int) sign) : sign);
            }
            return out.append('"').toString();
        }
        if (value instanceof Map<?, ?> map) {
            List<String> parts = new ArrayList<>();
            map.forEach((name, one) -> parts.add(write(name) + ":" + write(one)));
            return "{" + String.join(",", parts) + "}";
        }
        if (value instanceof List<?> list) {
            return "[" + String.join(",", list.stream().map(Json::write).toList()) + "]";
        }
        return String.valueOf(value);
    }

    private IllegalArgumentException wrong(String expected) {
        return new IllegalArgumentException("JSON at " + at + ": " + expected + " is right");
    }

    private void blanks() {
        while (at < text.length() && " \t\r\n".indexOf(text.charAt(at)) >= 0) {
            at++;
        }
    }

    private boolean take(char sign) {
        blanks();
        boolean there = at < text.length() && text.charAt(at) == sign;
        at += there ? 1 : 0;
        return there;
    }

    private void need(char sign) {
        if (!take(sign)) {
            throw wrong("'" + sign + "'");
        }
    }

    private Object value() {
        if (take('{')) {
            Map<String, Object> object = new LinkedHashMap<>();
            if (take('}')) {
                return object;
            }
            do {
                need('"');
                String name = string();
                need(':');
                object.put(name, value());
            } while (take(','));
            need('}');
            return object;
        }
        if (take('[')) {
            List<Object> list = new ArrayList<>();
            if (take(']')) {
                return list;
            }
            do {
                list.add(value());
            } while (take(','));
            need(']');
            return list;
        }
        if (take('"')) {
            return string();
        }
        for (var word : Map.of("true", true, "false", false).entrySet()) {
            if (text.startsWith(word.getKey(), at)) {
                at += word.getKey().length();
                return word.getValue();
            }
        }
        if (text.startsWith("null", at)) {
            at += 4;
            return null;
        }
        int from = at;
        while (at < text.length() && "-.0123456789".indexOf(text.charAt(at)) >= 0) {
            at++;
        }
        if (from == at) {
            throw wrong("a value");
        }
        String number = text.substring(from, at);
        if (number.contains(".")) {
            return new BigDecimal(number);
        }
        return new BigInteger(number);
    }

    private String string() {
        StringBuilder out = new StringBuilder();
        while (true) {
            char sign = text.charAt(at++);
            if (sign == '"') {
                return out.toString();
            }
            if (sign != '\\') {
                out.append(sign);
                continue;
            }
            sign = text.charAt(at++);
            if (sign == 'u') {
                out.append((char) Integer.parseInt(text.substring(at, at + 4), 16));
                at += 4;
            } else {
                int known = "bfnrt".indexOf(sign);
                out.append(known < 0 ? sign : "\b\f\n\r\t".charAt(known));
            }
        }
    }
}
