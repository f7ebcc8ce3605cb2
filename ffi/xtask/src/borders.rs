//! Proves of every export of `ffi/`: it stands behind the boundary, has its five labels in order, and takes
//! and gives only what may cross.

use syn::{Expr, FnArg, ItemFn, ReturnType, Stmt, Type};

use crate::exports::{self, documentation};
use crate::{Outcome, files};

const LABELS: [&str; 5] = ["Does:", "Owns:", "Threads:", "Errors:", "Since:"];
/// What crosses by value. No `bool` and no Rust enum: any other bit pattern in one is undefined behaviour.
const VALUES: [&str; 8] = ["u8", "i32", "u32", "i64", "u64", "usize", "c_char", "shardway_status_t"];

/// Fails at the first export that breaks a rule.
pub(crate) fn check() -> Outcome {
    let (mut exports, mut borders) = (0, 0);
    for source in exports::sources()? {
        for export in &source.exports {
            check_one(export).map_err(|why| format!("{}: {}: {why}", source.place, export.sig.ident))?;
        }
        let text = files::read(&source.place)?;
        let count = |what: &str| {
            text.lines().filter(|line| !line.trim_start().starts_with("//")).filter(|line| line.contains(what)).count()
        };
        exports += count("no_mangle)]");
        borders += count("border::status(") + count("border::answer(") + count("border::nothing(");
    }
    if exports != borders || exports == 0 {
        return Err(format!("{exports} exports, but {borders} uses of the boundary"));
    }
    println!("ffi: {exports} exports, {borders} uses of the boundary, all with their five labels");
    Ok(())
}

fn check_one(export: &ItemFn) -> Outcome {
    let name = export.sig.ident.to_string();
    if !name.starts_with("shardway_") {
        return Err("its name must begin with shardway_".to_owned());
    }
    if export.sig.abi.as_ref().and_then(|abi| abi.name.as_ref()).is_none_or(|abi| abi.value() != "C") {
        return Err("must be extern \"C\"".to_owned());
    }
    check_labels(&documentation(&export.attrs))?;
    check_types(export)?;
    let boundary =
        last(&export.block.stmts).and_then(boundary).ok_or("its body must end in one use of the boundary")?;
    let answers_status = matches!(&export.sig.output, ReturnType::Type(_, kind) if is_named(kind, "shardway_status_t"));
    if answers_status != (boundary == "status") {
        return Err(format!("border::{boundary} does not fit what it answers"));
    }
    Ok(())
}

fn check_labels(text: &str) -> Outcome {
    let found: Vec<&str> =
        text.lines().filter_map(|line| LABELS.into_iter().find(|label| line.starts_with(label))).collect();
    if found == LABELS {
        return Ok(());
    }
    Err(format!("its labels are {found:?}; {LABELS:?} is right"))
}

fn check_types(export: &ItemFn) -> Outcome {
    for input in &export.sig.inputs {
        let FnArg::Typed(input) = input else { return Err("takes self".to_owned()) };
        check_type(&input.ty)?;
    }
    let takes_error = export.sig.inputs.last().is_some_and(
        |last| matches!(last, FnArg::Typed(last) if matches!(&*last.ty, Type::Ptr(pointer) if is_named(&pointer.elem, "shardway_error_t"))),
    );
    let ReturnType::Type(_, output) = &export.sig.output else { return Ok(()) };
    check_type(output)?;
    let by_status = export.sig.ident.to_string().starts_with("shardway_status_");
    if is_named(output, "shardway_status_t") && !takes_error && !by_status {
        return Err("answers a status, so its last parameter must be the error".to_owned());
    }
    Ok(())
}

fn check_type(kind: &Type) -> Outcome {
    let fine = match kind {
        Type::Ptr(pointer) => match &*pointer.elem {
            Type::Ptr(_) => return check_type(&pointer.elem),
            Type::Path(path) => path.path.segments.last().is_some_and(|segment| {
                let name = segment.ident.to_string();
                VALUES.contains(&name.as_str())
                    || name == "c_void"
                    || (name.starts_with("shardway_") && name.ends_with("_t"))
            }),
            _ => false,
        },
        kind => VALUES.iter().any(|value| is_named(kind, value)),
    };
    if fine { Ok(()) } else { Err("takes or gives a type that must not cross".to_owned()) }
}

fn is_named(kind: &Type, name: &str) -> bool {
    matches!(kind, Type::Path(path) if path.path.segments.last().is_some_and(|segment| segment.ident == name))
}

fn last(statements: &[Stmt]) -> Option<&Expr> {
    match statements.last()? {
        Stmt::Expr(expression, _) => Some(expression),
        _ => None,
    }
}

/// `status`, `answer` or `nothing`, when `expression` is a call of that boundary.
fn boundary(expression: &Expr) -> Option<&'static str> {
    match expression {
        Expr::Unsafe(block) => last(&block.block.stmts).and_then(boundary),
        Expr::Call(call) => {
            let Expr::Path(path) = &*call.func else { return None };
            let names: Vec<String> = path.path.segments.iter().map(|segment| segment.ident.to_string()).collect();
            let [border, name] = &names[..] else { return None };
            ["status", "answer", "nothing"].into_iter().find(|known| border == "border" && name == known)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn why(signature: &str, body: &str, labels: &str) -> String {
        let text = format!("{labels}\n#[unsafe(no_mangle)]\npub extern \"C\" fn {signature} {{ {body} }}");
        check_one(&syn::parse_str(&text).unwrap()).map_or_else(|why| why, |()| "fine".to_owned())
    }

    const ALL: &str = "/// Does: x.\n/// Owns: x.\n/// Threads: x.\n/// Errors: x.\n/// Since: 0.1.0.";

    #[test]
    fn a_good_export_passes() {
        assert_eq!(why("shardway_x_n() -> u64", "border::answer(0, || 1)", ALL), "fine");
        let status = "shardway_x_y(x: *const shardway_x_t, error: *mut shardway_error_t) -> shardway_status_t";
        assert_eq!(why(status, "unsafe { border::status(error, || Ok(())) }", ALL), "fine");
    }

    #[test]
    fn each_rule_has_its_message() {
        assert!(why("shardway_x_n() -> u64", "1", ALL).contains("boundary"));
        assert!(why("other() -> u64", "border::answer(0, || 1)", ALL).contains("shardway_"));
        assert!(why("shardway_x_n(on: bool) -> u64", "border::answer(0, || 1)", ALL).contains("must not cross"));
        assert!(why("shardway_x_n(x: &u64) -> u64", "border::answer(0, || 1)", ALL).contains("must not cross"));
        assert!(why("shardway_x_n() -> u64", "border::answer(0, || 1)", "/// Does: x.").contains("labels"));
        assert!(why("shardway_x_n() -> shardway_status_t", "border::answer(0, || 1)", ALL).contains("last parameter"));
        let status = "shardway_x_y(error: *mut shardway_error_t) -> shardway_status_t";
        assert!(why(status, "border::answer(0, || 1)", ALL).contains("does not fit"));
    }
}
