//! Signature help: the parameters of the definition, field, move or function whose arguments are being written.

use bouton_project::Definition;
use lsp_types::{
    Documentation, MarkupContent, MarkupKind, ParameterInformation, ParameterLabel, SignatureHelp,
    SignatureHelpParams, SignatureInformation,
};

use crate::built_ins::{self, BuiltIn};
use crate::context::Context;
use crate::requests::RequestError;
use crate::server::Server;
use crate::snapshot::Snapshot;

/// `textDocument/signatureHelp`
pub(crate) fn help(
    server: &mut Server,
    params: SignatureHelpParams,
) -> Result<Option<SignatureHelp>, RequestError> {
    let cursor = server.cursor(&params.text_document_position_params)?;
    let snapshot = &cursor.snapshot;
    let context = Context::at(snapshot.text(), &snapshot.tokens, cursor.offset);
    let Some((name, bracket, argument)) = context.and_then(|context| {
        let (name, bracket, argument) = context.call()?;
        Some((name.join("."), bracket, argument))
    }) else {
        return Ok(None);
    };
    let declared = snapshot.named(&name).and_then(|of| declared(snapshot, of, &name, bracket));
    let last = name.rsplit('.').next().unwrap_or(&name);
    let built_in = || built_ins::find(last).or_else(|| built_ins::find_part(last)).and_then(of_built_in);
    let Some(signature) = declared.or_else(built_in) else { return Ok(None) };
    let count = signature.parameters.as_ref().map_or(0, Vec::len);
    let active_parameter = (argument < count).then_some(argument as u32);
    Ok(Some(SignatureHelp { signatures: vec![signature], active_signature: Some(0), active_parameter }))
}

/// The signature of a declared name.
fn declared(
    snapshot: &Snapshot,
    definition: &Definition,
    name: &str,
    bracket: char,
) -> Option<SignatureInformation> {
    let binds = snapshot.parameters(definition)?;
    let parameters: Vec<String> =
        binds.iter().map(|bind| format!("{}: {}", bind.name.text, snapshot.squeezed(bind.ty.span))).collect();
    let close = if bracket == '[' { ']' } else { ')' };
    let mut label = format!("{name}{bracket}{}{close}", parameters.join(", "));
    if let Some(ty) = &definition.ty {
        label += &format!(": {ty}");
    }
    Some(signature(label, parameters, &definition.doc.join("\n")))
}

fn of_built_in(known: &'static BuiltIn) -> Option<SignatureInformation> {
    let parameters = known.arguments()?.into_iter().map(str::to_owned).collect();
    Some(signature(known.form.to_owned(), parameters, known.meaning))
}

fn signature(label: String, parameters: Vec<String>, doc: &str) -> SignatureInformation {
    let parameters = parameters
        .into_iter()
        .map(|label| ParameterInformation { label: ParameterLabel::Simple(label), documentation: None });
    SignatureInformation {
        label,
        documentation: (!doc.is_empty()).then(|| {
            Documentation::MarkupContent(MarkupContent { kind: MarkupKind::Markdown, value: doc.to_owned() })
        }),
        parameters: Some(parameters.collect()),
        active_parameter: None,
    }
}
